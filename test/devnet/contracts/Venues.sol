// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IToken {
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
    function balanceOf(address account) external view returns (uint256);
    function approve(address spender, uint256 value) external returns (bool);
    function withdraw(uint256 amount) external;
}

interface INft {
    function transferFrom(address from, address to, uint256 id) external;
}

struct Call { address target; uint256 value; bytes data; }

library Calls {
    function run(Call[] calldata calls) internal {
        for (uint256 i; i < calls.length; ++i) {
            (bool ok, bytes memory why) = calls[i].target.call{value: calls[i].value}(calls[i].data);
            if (!ok) assembly { revert(add(why, 32), mload(why)) }
        }
    }
}

/// A router of no renown: pulls the input, runs the given calls, hands out the output and what is left of the input.
contract MiniAggregator {
    using Calls for Call[];
    address constant NATIVE = address(0);
    receive() external payable {}

    function swap(address tokenIn, uint256 amountIn, address tokenOut, uint256 minOut, Call[] calldata calls) external payable {
        if (tokenIn != NATIVE) IToken(tokenIn).transferFrom(msg.sender, address(this), amountIn);
        calls.run();
        uint256 out = _send(tokenOut, msg.sender);
        require(out >= minOut, "too little out");
        if (tokenIn != tokenOut) _send(tokenIn, msg.sender);
    }
    function _send(address token, address to) private returns (uint256 amount) {
        amount = token == NATIVE ? address(this).balance : IToken(token).balanceOf(address(this));
        if (amount == 0) return 0;
        if (token != NATIVE) IToken(token).transfer(to, amount);
        else { (bool ok,) = to.call{value: amount}(""); require(ok); }
    }
}

/// A searcher's contract: holds the inventory, only its owner runs it, and it may pay the block's builder.
contract ArbBot {
    using Calls for Call[];
    address immutable owner;
    constructor(address owner_) { owner = owner_; }
    receive() external payable {}

    function run(Call[] calldata calls, address weth, uint256 builderPayment) external payable {
        require(msg.sender == owner);
        uint256 before = IToken(weth).balanceOf(address(this));
        calls.run();
        require(IToken(weth).balanceOf(address(this)) > before, "no profit");
        if (builderPayment == 0) return;
        IToken(weth).withdraw(builderPayment);
        (bool ok,) = block.coinbase.call{value: builderPayment}("");
        require(ok);
    }
    /// Pools that pay first ask for their due here: the calls come in the pool's own data.
    function uniswapV2Call(address, uint256, uint256, bytes calldata data) external { this.runCalls(abi.decode(data, (Call[]))); }
    function uniswapV3SwapCallback(int256, int256, bytes calldata data) external { this.runCalls(abi.decode(data, (Call[]))); }
    function runCalls(Call[] calldata calls) external { require(msg.sender == address(this)); calls.run(); }
    function sweep(address token, address to, uint256 amount) external {
        require(msg.sender == owner);
        IToken(token).transfer(to, amount);
    }
}

/// A constant-product pool whose event nobody has ever heard of.
contract OddPool {
    event Zwapped(bytes32 indexed route, address trader, int256 d0, int256 d1);
    IToken public immutable coinA;
    IToken public immutable coinB;
    constructor(IToken a, IToken b) { coinA = a; coinB = b; }

    function zwap(bool aForB, uint256 amountIn, uint256 minOut) external returns (uint256 out) {
        (IToken i, IToken o) = aForB ? (coinA, coinB) : (coinB, coinA);
        uint256 ri = i.balanceOf(address(this));
        uint256 ro = o.balanceOf(address(this));
        i.transferFrom(msg.sender, address(this), amountIn);
        out = ro * amountIn / (ri + amountIn) * 997 / 1000;
        require(out >= minOut, "slippage");
        o.transfer(msg.sender, out);
        emit Zwapped(keccak256(abi.encode(msg.sender, block.number)), msg.sender,
            aForB ? int256(amountIn) : -int256(out), aForB ? -int256(out) : int256(amountIn));
    }
}

/// Sells one NFT for native coin, with a fee to the house.
contract NftMarket {
    event Sold(address indexed collection, uint256 indexed id, address seller, address buyer, uint256 price, uint256 fee);
    struct Listing { address seller; uint256 price; }
    mapping(address => mapping(uint256 => Listing)) public listings;
    address payable immutable house;
    constructor(address payable house_) { house = house_; }
    function list(address collection, uint256 id, uint256 price) external { listings[collection][id] = Listing(msg.sender, price); }
    function buy(address collection, uint256 id) external payable {
        Listing memory sale = listings[collection][id];
        require(sale.price != 0 && msg.value == sale.price, "price");
        delete listings[collection][id];
        uint256 fee = sale.price / 40;
        INft(collection).transferFrom(sale.seller, msg.sender, id);
        (bool paid,) = sale.seller.call{value: sale.price - fee}("");
        (bool kept,) = house.call{value: fee}("");
        require(paid && kept);
        emit Sold(collection, id, sale.seller, msg.sender, sale.price, fee);
    }
}
