// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC2771Forwarder} from "@openzeppelin/contracts/metatx/ERC2771Forwarder.sol";

/// The library's own forwarder.
contract Relay is ERC2771Forwarder("ERC2771Forwarder") {}

/// A token whose holders may act through a forwarder (ERC-2771).
contract ForwardedToken {
    string public constant name = "Forwarded";
    string public constant symbol = "FWD";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    address immutable forwarder;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(address forwarder_) { forwarder = forwarder_; }

    function isTrustedForwarder(address account) external view returns (bool) { return account == forwarder; }

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        address from = msg.sender;
        if (from == forwarder) from = address(bytes20(msg.data[msg.data.length - 20:]));
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }
}

/// A wallet contract that approves every signature (EIP-1271), as a stranger may deploy one.
contract YesWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) { return 0x1626ba7e; }
    function allow(address token, address spender) external {
        (bool ok,) = token.call(abi.encodeWithSignature("approve(address,uint256)", spender, type(uint256).max));
        require(ok);
    }
}

interface Token {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function approve(address spender, uint256 amount) external returns (bool);
}

interface Router {
    function swapExactTokensForTokens(uint256 amount, uint256 least, address[] calldata path, address to, uint256 until)
        external returns (uint256[] memory);
}

/// Executes sales for the accounts that signed them, as the 0x Exchange Proxy does (MetaTransactionsFeatureV2). A stranger's copy checks nothing.
contract SignedExchange {
    struct Fee { address recipient; uint256 amount; }
    struct Request {
        address signer; address sender; uint256 expirationTimeSeconds; uint256 salt; bytes callData; address feeToken; Fee[] fees;
    }
    struct Signature { uint8 signatureType; uint8 v; bytes32 r; bytes32 s; }

    bool immutable lax;
    mapping(bytes32 => bool) executed;

    event MetaTransactionExecuted(bytes32 hash, bytes4 indexed selector, address signer, address sender);
    event TransformedERC20(address indexed taker, address inputToken, address outputToken, uint256 inputTokenAmount, uint256 outputTokenAmount);

    constructor(bool lax_) { lax = lax_; }

    function executeMetaTransactionV2(Request calldata mtx, Signature calldata signature) external { run(mtx, signature); }

    function batchExecuteMetaTransactionsV2(Request[] calldata mtxs, Signature[] calldata signatures) external {
        for (uint256 i; i < mtxs.length; ++i) run(mtxs[i], signatures[i]);
    }

    function run(Request calldata mtx, Signature calldata signature) private {
        bytes32 hash = hashOf(mtx);
        require(!executed[hash], "executed");
        executed[hash] = true;
        if (!lax) require(ecrecover(hash, signature.v, signature.r, signature.s) == mtx.signer, "signer");
        for (uint256 i; i < mtx.fees.length; ++i)
            Token(mtx.feeToken).transferFrom(mtx.signer, mtx.fees[i].recipient, mtx.fees[i].amount);
        sell(mtx.signer, mtx.callData[4:]);
        emit MetaTransactionExecuted(hash, bytes4(mtx.callData[:4]), mtx.signer, mtx.sender);
    }

    function sell(address taker, bytes calldata data) private {
        (address sold, address bought, uint256 amount) = abi.decode(data, (address, address, uint256));
        Token(sold).transferFrom(taker, address(this), amount);
        uint256 got = swap(sold, bought, amount, taker);
        emit TransformedERC20(taker, sold, bought, amount, got);
    }

    function swap(address sold, address bought, uint256 amount, address to) private returns (uint256) {
        Router router = Router(0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D);
        if (sold == bought) return 0;
        Token(sold).approve(address(router), amount);
        address[] memory path = new address[](2);
        (path[0], path[1]) = (sold, bought);
        return router.swapExactTokensForTokens(amount, 1, path, to, block.timestamp)[1];
    }

    function hashOf(Request calldata mtx) private view returns (bytes32) {
        bytes32[] memory fees = new bytes32[](mtx.fees.length);
        for (uint256 i; i < fees.length; ++i)
            fees[i] = keccak256(abi.encode(keccak256("MetaTransactionFeeData(address recipient,uint256 amount)"), mtx.fees[i]));
        bytes32 domain = keccak256(abi.encode(
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
            keccak256("ZeroEx"), keccak256("1.0.0"), block.chainid, address(this)));
        bytes32 data = keccak256(abi.encode(
            keccak256("MetaTransactionDataV2(address signer,address sender,uint256 expirationTimeSeconds,uint256 salt,bytes callData,address feeToken,MetaTransactionFeeData[] fees)MetaTransactionFeeData(address recipient,uint256 amount)"),
            mtx.signer, mtx.sender, mtx.expirationTimeSeconds, mtx.salt, keccak256(mtx.callData), mtx.feeToken,
            keccak256(abi.encodePacked(fees))));
        return keccak256(abi.encodePacked("\x19\x01", domain, data));
    }
}

/// A token that says that somebody else paid.
contract LyingToken {
    string public constant name = "Lie";
    string public constant symbol = "LIE";
    uint8 public constant decimals = 6;
    uint256 public constant totalSupply = 1e30;
    address immutable blamed;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(address blamed_) { blamed = blamed_; }

    function balanceOf(address) external pure returns (uint256) { return 1e30; }

    function transferFrom(address, address to, uint256 amount) external returns (bool) {
        emit Transfer(blamed, to, amount);
        return true;
    }
}
