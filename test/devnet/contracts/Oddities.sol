// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IToken} from "./Venues.sol";

/// Every way to fail, and a way to fail inside and live.
contract Reverter {
    error NotToday(address who, uint256 when);
    event Survived(bool ok, bytes why);
    uint256 public count;
    function withString() external payable { revert("nothing doing"); }
    function withCustom() external payable { revert NotToday(msg.sender, 42); }
    function withPanic(uint256 zero) external payable returns (uint256) { return 1 / zero; }
    function withNothing() external payable { revert(); }
    function afterLogging() external payable { emit Survived(true, "so it seemed"); revert("not after all"); }
    function burnAllGas() external payable { assembly { invalid() } }
    /// Forwards value to a call that reverts, catches it and carries on: the value never moved.
    function tryInner(address token, uint256 amount) external payable {
        count += 1;
        (bool ok, bytes memory why) = address(this).call{value: msg.value}(abi.encodeCall(this.innerMoves, (token, amount, msg.sender)));
        emit Survived(ok, why);
        (bool back,) = msg.sender.call{value: address(this).balance}("");
        require(back);
    }
    /// Moves a token (logs a genuine Transfer) and then reverts, so that neither move nor log happened.
    function innerMoves(address token, uint256 amount, address payer) external payable {
        IToken(token).transferFrom(payer, address(this), amount);
        revert("inner regret");
    }
    receive() external payable {}
}

/// Runs a library in its own context: DELEGATECALL frames repeat msg.value, which has moved only once.
contract ValueForwarder {
    address immutable library_;
    constructor(address lib) { library_ = lib; }
    function forward(address payable to) external payable {
        (bool ok,) = library_.delegatecall(abi.encodeCall(ForwardLibrary.step, (to)));
        require(ok);
    }
}

contract ForwardLibrary {
    event Forwarded(address indexed to, uint256 amount);
    function step(address payable to) external payable {
        (bool ok,) = to.call{value: msg.value}("");
        require(ok);
        emit Forwarded(to, msg.value);
    }
}

/// Sends its balance away by SELFDESTRUCT.
contract Bomb {
    constructor() payable {}
    receive() external payable {}
    function blow(address payable to) external payable { selfdestruct(to); }
}

/// Takes value and keeps it; says nothing.
contract Piggybank {
    receive() external payable {}
    function poke(uint256) external payable {}
}

/// Takes permission by signature and pulls: the signer of the transaction is not the owner of the tokens.
contract PermitRelay {
    function pull(address token, address owner, address to, uint256 value, uint256 fee, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        (bool ok,) = token.call(abi.encodeWithSignature(
            "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)", owner, address(this), value + fee, deadline, v, r, s));
        require(ok, "permit");
        IToken(token).transferFrom(owner, to, value);
        if (fee > 0) IToken(token).transferFrom(owner, msg.sender, fee);
    }
}

/// Pays for other people's user operations from its own deposit.
contract OpenPaymaster {
    /// Whatever the EntryPoint asks, the answer is (empty context, valid).
    fallback() external payable {
        assembly { mstore(0, 64) mstore(32, 0) mstore(64, 0) return(0, 96) }
    }
}
