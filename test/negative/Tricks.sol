// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Claims to be a pool: logs trades in which nothing moved.
contract Boaster {
    event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to);
    event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick);
    function boast(address to, uint256 put, uint256 got) external payable {
        emit Swap(msg.sender, put, 0, 0, got, to);
        emit Swap(msg.sender, to, int256(put), -int256(got), 1 << 96, 1, 0);
    }
}

/// Wrapped ether in the layout of the real one, that also logs a Transfer when it is made and unmade, where told to.
contract LoudWeth {
    string public name = "Wrapped Ether";
    string public symbol = "WETH";
    uint8 public decimals = 18;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    bool immutable loud;
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);
    event Transfer(address indexed src, address indexed dst, uint256 wad);

    constructor(bool loud_) { loud = loud_; }
    function totalSupply() external view returns (uint256) { return address(this).balance; }
    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
        if (loud) emit Transfer(address(0), msg.sender, msg.value);
    }
    function withdraw(uint256 wad) external {
        balanceOf[msg.sender] -= wad;
        if (loud) emit Transfer(msg.sender, address(0), wad);
        emit Withdrawal(msg.sender, wad);
        (bool ok,) = msg.sender.call{value: wad}("");
        require(ok);
    }
    function transfer(address dst, uint256 wad) external returns (bool) {
        balanceOf[msg.sender] -= wad;
        balanceOf[dst] += wad;
        emit Transfer(msg.sender, dst, wad);
        return true;
    }
}
