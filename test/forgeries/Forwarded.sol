// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC2771Forwarder} from "@openzeppelin/contracts/metatx/ERC2771Forwarder.sol";

/// The library's own forwarder.
contract Relay is ERC2771Forwarder("ERC2771Forwarder") {}

/// A token whose holders may act through a forwarder (ERC-2771).
contract ForwardedToken {
    string public constant name = "Forwarded";
    string public constant symbol = "FWD";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    address immutable forwarder;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(address forwarder_) { forwarder = forwarder_; }

    function isTrustedForwarder(address account) external view returns (bool) { return account == forwarder; }

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        address from = msg.sender;
        if (from == forwarder) from = address(bytes20(msg.data[msg.data.length - 20:]));
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }
}

/// A wallet contract that approves every signature (EIP-1271), as a stranger may deploy one.
contract YesWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) { return 0x1626ba7e; }
    function allow(address token, address spender) external {
        (bool ok,) = token.call(abi.encodeWithSignature("approve(address,uint256)", spender, type(uint256).max));
        require(ok);
    }
}
