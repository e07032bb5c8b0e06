// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

struct Step { address to; uint256 value; bytes data; bytes32[] topics; }
interface Forger { function play(Step[] calldata steps) external payable; }

/// A token that tells one transfer in several ways, and answers these decimals.
contract Echo {
    string public name = "Echo";
    string public symbol = "ECHO";
    uint8 public immutable decimals;
    uint8 immutable way;
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Transfer(address indexed from, address indexed to, uint256 value, bytes data);
    event Transfer(address caller, address indexed from, address indexed to, uint256 indexed id, uint256 amount);
    event Sent(address indexed operator, address indexed from, address indexed to, uint256 amount, bytes data, bytes operatorData);
    constructor(uint8 decimals_, uint8 way_) { (decimals, way) = (decimals_, way_); }
    function totalSupply() external pure returns (uint256) { return 10 ** 30; }
    function balanceOf(address) external pure returns (uint256) { return 10 ** 24; }
    function transfer(address to, uint256 value) external returns (bool) { return tell(msg.sender, to, value); }
    function transferFrom(address from, address to, uint256 value) external returns (bool) { return tell(from, to, value); }
    function tell(address from, address to, uint256 value) private returns (bool) {
        emit Transfer(from, to, value);
        if (way == 1) emit Transfer(from, to, value);
        if (way == 2) emit Transfer(from, to, value, "");
        if (way == 3) emit Transfer(msg.sender, from, to, 7, value);
        if (way == 4) emit Sent(msg.sender, from, to, value, "", "");
        return true;
    }
}

/// Code that anybody may run in the account's name: it calls what it is told with no more than a plain question.
contract OpenCaller {
    function poke(address to) external { (bool ok,) = to.call(abi.encodeWithSignature("ping()")); require(ok); }
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) { return 0x1626ba7e; }
    receive() external payable {}
}

/// A token whose code can be replaced.
contract Turncoat {
    address public code;
    function turn(address code_) external { code = code_; }
    fallback() external payable {
        address to = code;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

/// Plays its steps when a pool calls back, whatever the pool is.
contract Callback {
    Step[] steps;
    Forger immutable player;
    constructor(Forger player_) { player = player_; }
    function set(Step[] calldata given) external { delete steps; for (uint256 i; i < given.length; ++i) steps.push(given[i]); }
    fallback() external payable {
        for (uint256 i; i < steps.length; ++i) { (bool ok,) = steps[i].to.call(steps[i].data); require(ok, "step"); }
    }
}

/// Deploys code at an address known before, and takes it away again.
contract Maker {
    event Made(address at);
    function make(bytes memory code, bytes32 salt) external returns (address at) {
        assembly { at := create2(0, add(code, 32), mload(code), salt) }
        require(at != address(0), "made");
        emit Made(at);
    }
}

/// A collection that has a helper of its maker, or another contract by its hand, move another account's NFT whenever it is asked to move one.
contract Swindle {
    string public name = "Swindle";
    string public symbol = "SWNDL";
    Relay immutable relay;
    address immutable victim;
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    constructor(address victim_, Forger via) { (victim, relay) = (victim_, new Relay(via)); }
    function supportsInterface(bytes4) external pure returns (bool) { return true; }
    function transferFrom(address from, address to, uint256 tokenId) external {
        if (from != victim) relay.pass(victim, to, tokenId);
        else emit Transfer(from, to, tokenId);
    }
}

contract Relay {
    Forger immutable via;
    constructor(Forger via_) { via = via_; }
    function pass(address from, address to, uint256 tokenId) external {
        if (address(via) == address(0)) return Swindle(msg.sender).transferFrom(from, to, tokenId);
        Step[] memory steps = new Step[](1);
        steps[0] = Step(msg.sender, 0, abi.encodeCall(Swindle.transferFrom, (from, to, tokenId)), new bytes32[](0));
        via.play(steps);
    }
}

/// Code that a new account may run once: it makes the account run any other code from then on.
contract Usurper {
    function usurp(address code) external { assembly { sstore(0, code) } }
}
