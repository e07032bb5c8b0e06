// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// Holds what is pending or claimable for its vault.
contract AsyncEscrow {
    address immutable vault = msg.sender;
    function pay(IERC20 token, address to, uint256 amount) external {
        require(msg.sender == vault);
        token.transfer(to, amount);
    }
}

/// A vault of ERC-7540: both ways are requested, made claimable by the manager, and claimed. With `apart` an escrow holds both sides.
contract AsyncVault is ERC20("Async DAI", "aDAI") {
    event DepositRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets);
    event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares);
    event DepositClaimable(address indexed controller, uint256 indexed requestId, uint256 assets, uint256 shares);
    event RedeemClaimable(address indexed controller, uint256 indexed requestId, uint256 assets, uint256 shares);
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares);

    struct Request { uint256 pending; uint256 claimable; }
    IERC20 public immutable asset;
    AsyncEscrow public immutable escrow;
    mapping(address => Request) public deposits;
    mapping(address => Request) public redemptions;

    constructor(IERC20 asset_, bool apart) {
        asset = asset_;
        if (apart) escrow = new AsyncEscrow();
    }
    function holder() public view returns (address) {
        return address(escrow) == address(0) ? address(this) : address(escrow);
    }
    function _pay(IERC20 token, address to, uint256 amount) private {
        if (address(escrow) == address(0)) token.transfer(to, amount);
        else escrow.pay(token, to, amount);
    }
    function requestDeposit(uint256 assets, address controller, address owner) external returns (uint256) {
        require(owner == msg.sender);
        asset.transferFrom(owner, holder(), assets);
        deposits[controller].pending += assets;
        emit DepositRequest(controller, owner, 0, msg.sender, assets);
        return 0;
    }
    function requestRedeem(uint256 shares, address controller, address owner) external returns (uint256) {
        require(owner == msg.sender);
        _transfer(owner, holder(), shares);
        redemptions[controller].pending += shares;
        emit RedeemRequest(controller, owner, 0, msg.sender, shares);
        return 0;
    }
    function fulfilDeposit(address controller, uint256 shares) external {
        Request storage r = deposits[controller];
        _mint(holder(), shares);
        r.claimable = shares;
        emit DepositClaimable(controller, 0, r.pending, shares);
    }
    function fulfilRedeem(address controller, uint256 assets) external {
        Request storage r = redemptions[controller];
        _burn(holder(), r.pending);
        r.claimable = assets;
        emit RedeemClaimable(controller, 0, assets, r.pending);
    }
    function deposit(uint256 assets, address receiver, address controller) external returns (uint256 shares) {
        require(controller == msg.sender);
        shares = deposits[controller].claimable;
        delete deposits[controller];
        _pay(IERC20(address(this)), receiver, shares);
        emit Deposit(controller, receiver, assets, shares);
    }
    function redeem(uint256 shares, address receiver, address controller) external returns (uint256 assets) {
        require(controller == msg.sender);
        assets = redemptions[controller].claimable;
        delete redemptions[controller];
        _pay(asset, receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }
}
