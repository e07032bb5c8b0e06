// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }
struct Swap { bool zeroForOne; int256 amountSpecified; uint160 sqrtPriceLimitX96; }
struct Modify { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }

interface Manager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(Key calldata key, Swap calldata params, bytes calldata hookData) external returns (int256);
    function modifyLiquidity(Key calldata key, Modify calldata params, bytes calldata hookData) external returns (int256, int256);
    function take(address currency, address to, uint256 amount) external;
    function settle() external payable returns (uint256);
    function sync(address currency) external;
}
interface Coin { function transfer(address to, uint256 amount) external returns (bool); }

/// Swaps against liquidity that it puts in and takes out in the same call, or keeps; its NFT of that is whose it likes.
contract Washer {
    Manager immutable manager;
    int256[2] owed;
    constructor(Manager manager_) { manager = manager_; }
    receive() external payable {}
    function wash(Key calldata key, int24 edge, int256 liquidity, bool zeroForOne, int256 amount) external payable {
        manager.unlock(abi.encode(key, edge, liquidity, zeroForOne, amount));
    }
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    address holder;
    bool keeps;
    function name() external pure returns (string memory) { return "Positions"; }
    function symbol() external pure returns (string memory) { return "POS"; }
    function tell(address holder_, bool keeps_) external { (holder, keeps) = (holder_, keeps_); }
    function add(int256 delta) private { owed[0] += int128(delta >> 128); owed[1] += int128(delta); }
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (Key memory key, int24 edge, int256 liquidity, bool zeroForOne, int256 amount) =
            abi.decode(data, (Key, int24, int256, bool, int256));
        delete owed;
        if (holder != address(0)) emit Transfer(address(0), holder, 7);
        (int256 delta,) = manager.modifyLiquidity(key, Modify(-edge, edge, liquidity, bytes32(uint256(7))), "");
        add(delta);
        if (keeps) {
            square(key.currency0, owed[0]);
            square(key.currency1, owed[1]);
            return "";
        }
        add(manager.swap(key, Swap(zeroForOne, amount, zeroForOne ? 4295128740 : 1461446703485210103287273052203988822378723970341), ""));
        (delta,) = manager.modifyLiquidity(key, Modify(-edge, edge, -liquidity, bytes32(uint256(7))), "");
        add(delta);
        square(key.currency0, owed[0]);
        square(key.currency1, owed[1]);
        return "";
    }
    function square(address currency, int256 amount) private {
        if (amount > 0) manager.take(currency, address(this), uint256(amount));
        if (amount >= 0) return;
        if (currency == address(0)) { manager.settle{value: uint256(-amount)}(); return; }
        manager.sync(currency);
        Coin(currency).transfer(address(manager), uint256(-amount));
        manager.settle();
    }
}
