// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IToken, INft, Call, Calls} from "./Venues.sol";

interface ILendingPool {
    function supply(address asset, uint256 amount, address onBehalfOf, uint16 code) external;
    function withdraw(address asset, uint256 amount, address to) external returns (uint256);
    function borrow(address asset, uint256 amount, uint256 mode, uint16 code, address onBehalfOf) external;
    function flashLoanSimple(address receiver, address asset, uint256 amount, bytes calldata params, uint16 code) external;
}
interface IRouter {
    function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] calldata path, address to, uint256 deadline)
        external returns (uint256[] memory amounts);
}

/// Holds the ether of a rollup, as the portal of an OP Stack chain does.
contract Portal {
    event TransactionDeposited(address indexed from, address indexed to, uint256 indexed version, bytes opaqueData);
    event WithdrawalFinalized(bytes32 indexed withdrawalHash, bool success);
    struct Withdrawal { uint256 nonce; address sender; address target; uint256 value; uint256 gasLimit; bytes data; }
    receive() external payable {}
    function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes calldata data) external payable {
        emit TransactionDeposited(msg.sender, to, 0, abi.encodePacked(msg.value, value, gasLimit, isCreation, data));
    }
    function finalizeWithdrawalTransaction(Withdrawal calldata one) external {
        (bool ok,) = one.target.call{value: one.value}(one.data);
        emit WithdrawalFinalized(keccak256(abi.encode(one)), ok);
    }
}

/// Tokens wait here, ether at the portal, until a message of the rollup pays them out again.
contract StandardBridge {
    event ETHDepositInitiated(address indexed from, address indexed to, uint256 amount, bytes extraData);
    event ETHBridgeInitiated(address indexed from, address indexed to, uint256 amount, bytes extraData);
    event ERC20DepositInitiated(address indexed l1Token, address indexed l2Token, address indexed from, address to, uint256 amount, bytes extraData);
    event ERC20BridgeInitiated(address indexed localToken, address indexed remoteToken, address indexed from, address to, uint256 amount, bytes extraData);
    event ETHWithdrawalFinalized(address indexed from, address indexed to, uint256 amount, bytes extraData);
    event ETHBridgeFinalized(address indexed from, address indexed to, uint256 amount, bytes extraData);
    Portal immutable portal;
    constructor(Portal portal_) { portal = portal_; }
    function depositETH(uint32 minGasLimit, bytes calldata data) external payable {
        emit ETHDepositInitiated(msg.sender, msg.sender, msg.value, data);
        emit ETHBridgeInitiated(msg.sender, msg.sender, msg.value, data);
        portal.depositTransaction{value: msg.value}(address(this), msg.value, minGasLimit, false, data);
    }
    function depositERC20(address token, address other, uint256 amount, uint32 minGasLimit, bytes calldata data) external {
        IToken(token).transferFrom(msg.sender, address(this), amount);
        emit ERC20DepositInitiated(token, other, msg.sender, msg.sender, amount, data);
        emit ERC20BridgeInitiated(token, other, msg.sender, msg.sender, amount, data);
        portal.depositTransaction(address(this), 0, minGasLimit, false, data);
    }
    function finalizeBridgeETH(address from, address to, uint256 amount, bytes calldata data) external payable {
        require(msg.sender == address(portal) && msg.value == amount);
        emit ETHWithdrawalFinalized(from, to, amount, data);
        emit ETHBridgeFinalized(from, to, amount, data);
        (bool ok,) = to.call{value: amount}("");
        require(ok);
    }
}

/// Sells several NFTs of several sellers for one payment, with a fee to the house.
contract BundleMarket {
    event Sold(address indexed collection, uint256 indexed id, address seller, address buyer, uint256 price, uint256 fee);
    struct Listing { address seller; uint256 price; }
    mapping(address => mapping(uint256 => Listing)) public listings;
    address payable immutable house;
    constructor(address payable house_) { house = house_; }
    function list(address collection, uint256 id, uint256 price) external { listings[collection][id] = Listing(msg.sender, price); }
    function buy(address collection, uint256[] calldata ids) external payable {
        uint256 spent;
        for (uint256 i; i < ids.length; ++i) {
            Listing memory sale = listings[collection][ids[i]];
            require(sale.price != 0, "not listed");
            delete listings[collection][ids[i]];
            spent += sale.price;
            uint256 fee = sale.price / 40;
            INft(collection).transferFrom(sale.seller, msg.sender, ids[i]);
            (bool paid,) = sale.seller.call{value: sale.price - fee}("");
            (bool kept,) = house.call{value: fee}("");
            require(paid && kept);
            emit Sold(collection, ids[i], sale.seller, msg.sender, sale.price, fee);
        }
        require(spent == msg.value, "price");
    }
}

/// An ERC-4626 vault that supplies at the lending pool all it is given.
contract CarryVault is ERC4626 {
    ILendingPool immutable pool;
    IERC20 immutable receipt;
    constructor(IERC20 asset_, ILendingPool pool_, IERC20 receipt_) ERC20("Carry DAI", "cvDAI") ERC4626(asset_) {
        (pool, receipt) = (pool_, receipt_);
        asset_.approve(address(pool_), type(uint256).max);
    }
    function totalAssets() public view override returns (uint256) { return receipt.balanceOf(address(this)); }
    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        super._deposit(caller, receiver, assets, shares);
        pool.supply(asset(), assets, address(this), 0);
    }
    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares) internal override {
        pool.withdraw(asset(), assets, address(this));
        super._withdraw(caller, receiver, owner, assets, shares);
    }
}

/// Supplies a user's tokens, borrows in the user's name, buys more of them with the loan and supplies these, too.
contract Leverager {
    function open(ILendingPool pool, IRouter router, address asset, uint256 own, address debt, uint256 loan) external {
        IToken(asset).transferFrom(msg.sender, address(this), own);
        IToken(asset).approve(address(pool), type(uint256).max);
        pool.supply(asset, own, msg.sender, 0);
        pool.borrow(debt, loan, 2, 0, msg.sender);
        IToken(debt).approve(address(router), loan);
        address[] memory path = new address[](2);
        (path[0], path[1]) = (debt, asset);
        uint256[] memory amounts = router.swapExactTokensForTokens(loan, 0, path, address(this), block.timestamp);
        pool.supply(asset, amounts[1], msg.sender, 0);
    }
}

/// The plain staking pool with the way out that takes principal and reward at once.
contract ExitPool {
    event Staked(address indexed user, uint256 amount);
    event Withdrawn(address indexed user, uint256 amount);
    event RewardPaid(address indexed user, uint256 reward);
    IToken immutable stakingToken;
    IToken immutable rewardToken;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) since;
    constructor(IToken stake_, IToken reward_) { stakingToken = stake_; rewardToken = reward_; }
    function earned(address user) public view returns (uint256) { return balanceOf[user] * (block.timestamp - since[user]) / 1e6; }
    function stake(uint256 amount) external {
        require(balanceOf[msg.sender] == 0);
        balanceOf[msg.sender] = amount;
        since[msg.sender] = block.timestamp;
        stakingToken.transferFrom(msg.sender, address(this), amount);
        emit Staked(msg.sender, amount);
    }
    function exit() external {
        uint256 amount = balanceOf[msg.sender];
        uint256 reward = earned(msg.sender);
        balanceOf[msg.sender] = 0;
        stakingToken.transfer(msg.sender, amount);
        emit Withdrawn(msg.sender, amount);
        rewardToken.transfer(msg.sender, reward);
        emit RewardPaid(msg.sender, reward);
    }
}

/// Trades with a flash loan and pays the block's builder in ether out of the result.
contract FlashTipper {
    using Calls for Call[];
    address immutable owner;
    constructor(address owner_) { owner = owner_; }
    receive() external payable {}
    function run(ILendingPool pool, address weth, uint256 amount, uint256 tip, Call[] calldata calls) external {
        require(msg.sender == owner);
        pool.flashLoanSimple(address(this), weth, amount, abi.encode(calls), 0);
        IToken(weth).withdraw(tip);
        (bool ok,) = block.coinbase.call{value: tip}("");
        require(ok);
    }
    function executeOperation(address asset, uint256 amount, uint256 premium, address, bytes calldata params) external returns (bool) {
        this.runCalls(abi.decode(params, (Call[])));
        IToken(asset).approve(msg.sender, amount + premium);
        return true;
    }
    function runCalls(Call[] calldata calls) external { require(msg.sender == address(this)); calls.run(); }
}
