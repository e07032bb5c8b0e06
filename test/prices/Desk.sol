// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Runs any calls for anybody, and pays the block's builder out of its own ether.
contract Desk {
    struct Call { address target; uint256 value; bytes data; }

    receive() external payable {}

    function run(Call[] calldata calls) external payable {
        for (uint256 i; i < calls.length; ++i) {
            (bool ok, bytes memory why) = calls[i].target.call{value: calls[i].value}(calls[i].data);
            if (!ok) assembly { revert(add(why, 32), mload(why)) }
        }
    }

    function tip(uint256 amount) external {
        (bool ok,) = block.coinbase.call{value: amount}("");
        require(ok);
    }
}

/// Pays for user operations (ERC-4337) and takes a fixed charge in a token from the account afterwards.
contract TokenPaymaster {
    struct UserOp { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 limits; uint256 pre; bytes32 fees; bytes paymasterAndData; bytes signature; }
    address immutable token;
    uint256 immutable charge;

    constructor(address token_, uint256 charge_) { (token, charge) = (token_, charge_); }

    function validatePaymasterUserOp(UserOp calldata op, bytes32, uint256) external pure returns (bytes memory, uint256) {
        return (abi.encode(op.sender), 0);
    }

    function postOp(uint8, bytes calldata context, uint256, uint256) external {
        address from = abi.decode(context, (address));
        (bool ok,) = token.call(abi.encodeWithSignature("transferFrom(address,address,uint256)", from, address(this), charge));
        require(ok);
    }
}
