// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Emits any event and makes any call. As a token it moves anybody's balance on request and asks for no allowance.
contract Forger {
    string public name;
    string public symbol;
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    /// With `to` zero an event of its own, else a call.
    struct Step { address to; uint256 value; bytes data; bytes32[] topics; }

    constructor(string memory name_, string memory symbol_) { (name, symbol) = (name_, symbol_); }

    function totalSupply() external pure returns (uint256) { return 10 ** 30; }

    function play(Step[] calldata steps) external payable {
        for (uint256 i; i < steps.length; ++i) {
            Step calldata step = steps[i];
            if (step.to == address(0)) shout(step.topics, step.data);
            else {
                (bool ok, bytes memory answer) = step.to.call{value: step.value}(step.data);
                if (!ok) assembly { revert(add(answer, 32), mload(answer)) }
            }
        }
    }

    function shout(bytes32[] calldata t, bytes memory data) private {
        uint256 n = t.length;
        assembly {
            let at := t.offset
            let from := add(data, 32)
            let size := mload(data)
            switch n
            case 1 { log1(from, size, calldataload(at)) }
            case 2 { log2(from, size, calldataload(at), calldataload(add(at, 32))) }
            case 3 { log3(from, size, calldataload(at), calldataload(add(at, 32)), calldataload(add(at, 64))) }
            default { log4(from, size, calldataload(at), calldataload(add(at, 32)), calldataload(add(at, 64)), calldataload(add(at, 96))) }
        }
    }

    function transfer(address to, uint256 amount) external returns (bool) { return move(msg.sender, to, amount); }
    function transferFrom(address from, address to, uint256 amount) external returns (bool) { return move(from, to, amount); }
    function move(address from, address to, uint256 amount) private returns (bool) {
        unchecked { balanceOf[from] -= amount; balanceOf[to] += amount; }
        emit Transfer(from, to, amount);
        return true;
    }

    receive() external payable {}
    /// Whatever else is called, permits and validations included, succeeds and answers zero.
    fallback() external payable { assembly { mstore(0, 0) return(0, 32) } }
}

/// Runs the steps it was given when somebody pays it: code inside the call of whoever pays.
contract Trap {
    Forger.Step[] steps;
    function set(Forger.Step[] calldata given) external { delete steps; for (uint256 i; i < given.length; ++i) steps.push(given[i]); }
    receive() external payable {
        for (uint256 i; i < steps.length; ++i) {
            (bool ok,) = steps[i].to.call(steps[i].data);
            require(ok, "trap");
        }
    }
}

/// An account's code (EIP-7702) that tells of every call, as many wallets tell of every payment.
contract Doorbell {
    event Rang(address by, uint256 value);
    fallback() external payable { emit Rang(msg.sender, msg.value); }
}
