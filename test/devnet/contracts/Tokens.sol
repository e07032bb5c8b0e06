// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// Runs behind a DevProxy, as the real one does, so its name lives in code and not in storage.
contract UsdcLike is ERC20("", ""), ERC20Permit("USD Coin") {
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    mapping(address => mapping(bytes32 => bool)) public authorizationState;
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH =
        keccak256("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)");

    function name() public pure override returns (string memory) { return "USD Coin"; }
    function symbol() public pure override returns (string memory) { return "USDC"; }
    function decimals() public pure override returns (uint8) { return 6; }
    function mint(address to, uint256 amount) external { _mint(to, amount); }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s
    ) external {
        require(block.timestamp > validAfter && block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        require(!authorizationState[from][nonce], "FiatTokenV2: authorization is used");
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce)));
        require(ECDSA.recover(digest, v, r, s) == from, "FiatTokenV2: invalid signature");
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }
}

/// Forwards everything to a fixed implementation: each token call becomes two frames.
contract DevProxy {
    address immutable implementation;
    constructor(address target) { implementation = target; }
    fallback() external payable {
        address target = implementation;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
        }
    }
}

contract DevToken is ERC20, ERC20Permit, ERC20Burnable {
    uint8 immutable _decimals;
    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) ERC20Permit(name_) { _decimals = decimals_; }
    function decimals() public view override returns (uint8) { return _decimals; }
    function mint(address to, uint256 amount) external { _mint(to, amount); }
}

/// transfer, transferFrom and approve return nothing; issue() raises no Transfer: both as on mainnet.
contract UsdtLike {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Issue(uint256 amount);

    string public constant name = "Tether USD";
    string public constant symbol = "USDT";
    uint256 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    address public owner;

    constructor(address owner_) { owner = owner_; }
    function issue(uint256 amount) external {
        require(msg.sender == owner);
        totalSupply += amount;
        balanceOf[owner] += amount;
        emit Issue(amount);
    }
    function approve(address spender, uint256 value) external {
        require(!(value != 0 && allowance[msg.sender][spender] != 0));
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }
    function transfer(address to, uint256 value) external { _move(msg.sender, to, value); }
    function transferFrom(address from, address to, uint256 value) external {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        _move(from, to, value);
    }
    function _move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Takes 1 % of every transfer for its collector, in a second Transfer of its own.
contract FeeToken is ERC20("Toll Token", "TOLL") {
    address public immutable collector;
    constructor(address collector_) { collector = collector_; }
    function mint(address to, uint256 amount) external { _mint(to, amount); }
    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, value);
        uint256 fee = value / 100;
        super._update(from, collector, fee);
        super._update(from, to, value - fee);
    }
}

/// Balances are shares of a pool that grows: rebase() changes them all without a single Transfer.
contract RebaseToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event TransferShares(address indexed from, address indexed to, uint256 sharesValue);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Rebased(uint256 oldTotal, uint256 newTotal);

    string public constant name = "Rebasing Ether";
    string public constant symbol = "rbETH";
    uint8 public constant decimals = 18;
    uint256 public totalPooled;
    uint256 public totalShares;
    mapping(address => uint256) public sharesOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function totalSupply() external view returns (uint256) { return totalPooled; }
    function balanceOf(address account) public view returns (uint256) {
        return totalShares == 0 ? 0 : sharesOf[account] * totalPooled / totalShares;
    }
    function submit() external payable {
        uint256 shares = totalShares == 0 ? msg.value : msg.value * totalShares / totalPooled;
        sharesOf[msg.sender] += shares;
        totalShares += shares;
        totalPooled += msg.value;
        emit Transfer(address(0), msg.sender, msg.value);
        emit TransferShares(address(0), msg.sender, shares);
    }
    function rebase(uint256 gain) external {
        emit Rebased(totalPooled, totalPooled + gain);
        totalPooled += gain;
    }
    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }
    function transfer(address to, uint256 value) external returns (bool) { return _move(msg.sender, to, value); }
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        return _move(from, to, value);
    }
    function _move(address from, address to, uint256 value) private returns (bool) {
        uint256 shares = value * totalShares / totalPooled;
        sharesOf[from] -= shares;
        sharesOf[to] += shares;
        emit Transfer(from, to, value);
        emit TransferShares(from, to, shares);
        return true;
    }
}

contract DevNft is ERC721 {
    uint256 public nextId = 1;
    constructor(string memory name_, string memory symbol_) ERC721(name_, symbol_) {}
    function mint(uint256 count) external payable {
        require(msg.value == count * 0.05 ether, "price");
        for (uint256 i; i < count; ++i) _mint(msg.sender, nextId++);
    }
    function give(address to) external { _mint(to, nextId++); }
    function burn(uint256 id) external { _update(address(0), id, msg.sender); }
}

contract Dev1155 is ERC1155("ipfs://dev/{id}") {
    string public constant name = "Arcade Items";
    string public constant symbol = "ITEM";
    function mint(address to, uint256 id, uint256 amount) external { _mint(to, id, amount, ""); }
}

contract DevVault is ERC4626 {
    constructor(IERC20 asset_) ERC20("Vault DAI", "vDAI") ERC4626(asset_) {}
}

/// An address-poisoning token, and a token that forges Transfers between people who never held it.
contract PoisonToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    string public name;
    string public symbol;
    uint8 public constant decimals = 6;
    uint256 public constant totalSupply = 0;
    constructor(string memory name_, string memory symbol_) { name = name_; symbol = symbol_; }
    function balanceOf(address) external pure returns (uint256) { return 0; }
    function forge(address[] calldata from, address[] calldata to, uint256[] calldata value) external {
        for (uint256 i; i < from.length; ++i) emit Transfer(from[i], to[i], value[i]);
    }
}

/// Calls transferFrom(victim, lookalike, 0) on genuine tokens: allowed for anyone, since zero is within any allowance.
contract Poisoner {
    function poison(address token, address[] calldata from, address[] calldata to) external {
        for (uint256 i; i < from.length; ++i) {
            (bool ok,) = token.call(abi.encodeWithSignature("transferFrom(address,address,uint256)", from[i], to[i], 0));
            require(ok);
        }
    }
}
