// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Feeds by token and denomination, as Chainlink's registry offers them.
contract Registry {
    struct Round { int256 answer; uint256 updatedAt; uint8 decimals; }
    mapping(address => mapping(address => Round)) rounds;
    function set(address base, address quote, int256 answer, uint8 feedDecimals) external { rounds[base][quote] = Round(answer, block.timestamp, feedDecimals); }
    function latestRoundData(address base, address quote) external view returns (uint80, int256, uint256, uint256, uint80) {
        Round memory r = rounds[base][quote];
        require(r.updatedAt != 0, "Feed not found");
        return (1, r.answer, r.updatedAt, r.updatedAt, 1);
    }
    function decimals(address base, address quote) external view returns (uint8) {
        require(rounds[base][quote].updatedAt != 0, "Feed not found");
        return rounds[base][quote].decimals;
    }
}

contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    string public symbol;
    uint8 public immutable decimals;
    mapping(address => uint256) public balanceOf;
    constructor(string memory symbol_, uint8 decimals_) { symbol = symbol_; decimals = decimals_; }
    function name() external view returns (string memory) { return symbol; }
    function mint(address to, uint256 value) public { balanceOf[to] += value; emit Transfer(address(0), to, value); }
    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// A wrapper that tells how much of its base one of it is.
contract Wrapper is Token {
    uint256 public stEthPerToken;
    constructor(string memory symbol_, uint256 rate) Token(symbol_, 18) { stEthPerToken = rate; }
}

/// Claims that each of its shares is a million DAI.
contract BoastfulVault is Token {
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    address public immutable asset;
    constructor(address asset_) Token("BOAST", 18) { asset = asset_; }
    function convertToAssets(uint256 shares) external pure returns (uint256) { return shares * 1_000_000; }
    /// One share for one of the asset, whatever it says above.
    function deposit(uint256 assets) external {
        (bool ok,) = asset.call(abi.encodeWithSignature("transferFrom(address,address,uint256)", msg.sender, address(this), assets));
        require(ok);
        mint(msg.sender, assets);
        emit Deposit(msg.sender, msg.sender, assets, assets);
    }
}

/// Moves a pair's price and adds liquidity to it, all in one transaction.
contract Pusher {
    function push(address pair, address weth, address usdc, uint256 swapWeth, uint256 addWeth, uint256 addUsdc) external {
        (uint112 r0, uint112 r1,) = IPair(pair).getReserves();
        bool wethFirst = weth < usdc;
        (uint256 rin, uint256 rout) = wethFirst ? (uint256(r0), uint256(r1)) : (uint256(r1), uint256(r0));
        IERC(weth).transferFrom(msg.sender, pair, swapWeth);
        uint256 out = swapWeth * 997 * rout / (rin * 1000 + swapWeth * 997);
        IPair(pair).swap(wethFirst ? 0 : out, wethFirst ? out : 0, msg.sender, "");
        IERC(weth).transferFrom(msg.sender, pair, addWeth);
        IERC(usdc).transferFrom(msg.sender, pair, addUsdc);
        IPair(pair).mint(msg.sender);
    }
}
interface IERC { function transferFrom(address, address, uint256) external returns (bool); }
interface IPair {
    function getReserves() external view returns (uint112, uint112, uint32);
    function swap(uint256, uint256, address, bytes calldata) external;
    function mint(address) external returns (uint256);
}
