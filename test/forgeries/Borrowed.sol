// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Runs another contract's code on its own storage (DELEGATECALL), and pays an account.
contract Borrower {
    function borrow(address code, bytes calldata data, address payable paid) external payable {
        (bool ok,) = code.delegatecall(data);
        require(ok, "borrow");
        if (msg.value > 0) paid.transfer(msg.value);
    }
}

/// Code that takes any call, as an exchange's does whose lists of signers lie in the borrower's storage.
contract Obliging {
    fallback() external payable { assembly { mstore(0, 1) return(0, 32) } }
}
