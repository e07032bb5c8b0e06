// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface Coin { function transfer(address to, uint256 amount) external returns (bool); }

/// Borrows from a pool for whom it likes, and pays back when the pool calls it.
contract Borrower {
    Coin immutable coin;
    uint256 immutable due;
    constructor(Coin coin_, uint256 due_) { (coin, due) = (coin_, due_); }
    function borrow(address pool, bytes calldata how) external {
        (bool ok,) = pool.call(how);
        require(ok, "pool");
    }
    fallback() external { coin.transfer(msg.sender, due); }
}
