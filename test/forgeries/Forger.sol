// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Emits any event and makes any call. As a token it moves anybody's balance on request and asks for no allowance.
contract Forger {
    string public name;
    string public symbol;
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    /// With `to` zero an event of its own, else a call.
    struct Step { address to; uint256 value; bytes data; bytes32[] topics; }

    constructor(string memory name_, string memory symbol_) { (name, symbol) = (name_, symbol_); }

    function totalSupply() external pure returns (uint256) { return 10 ** 30; }

    function play(Step[] calldata steps) external payable {
        for (uint256 i; i < steps.length; ++i) {
            Step calldata step = steps[i];
            if (step.to == address(0)) shout(step.topics, step.data);
            else {
                (bool ok, bytes memory answer) = step.to.call{value: step.value}(step.data);
                if (!ok) assembly { revert(add(answer, 32), mload(answer)) }
            }
        }
    }

    function shout(bytes32[] calldata t, bytes memory data) private {
        uint256 n = t.length;
        assembly {
            let at := t.offset
            let from := add(data, 32)
            let size := mload(data)
            switch n
            case 1 { log1(from, size, calldataload(at)) }
            case 2 { log2(from, size, calldataload(at), calldataload(add(at, 32))) }
            case 3 { log3(from, size, calldataload(at), calldataload(add(at, 32)), calldataload(add(at, 64))) }
            default { log4(from, size, calldataload(at), calldataload(add(at, 32)), calldataload(add(at, 64)), calldataload(add(at, 96))) }
        }
    }

    function transfer(address to, uint256 amount) external returns (bool) { return move(msg.sender, to, amount); }
    function transferFrom(address from, address to, uint256 amount) external returns (bool) { return move(from, to, amount); }
    function move(address from, address to, uint256 amount) private returns (bool) {
        unchecked { balanceOf[from] -= amount; balanceOf[to] += amount; }
        emit Transfer(from, to, amount);
        return true;
    }

    receive() external payable {}
    /// Whatever else is called, permits and validations included, succeeds and answers zero.
    fallback() external payable { assembly { mstore(0, 0) return(0, 32) } }
}

/// A collection that says whose its NFTs are as its maker likes.
contract Collection is Forger {
    address holder;
    constructor(address holder_) Forger("Collection", "NFT") { holder = holder_; }
    function ownerOf(uint256) external view returns (address) { return holder; }
}

/// Runs the steps it was given when somebody pays it: code inside the call of whoever pays.
contract Trap {
    Forger.Step[] steps;
    function set(Forger.Step[] calldata given) external { delete steps; for (uint256 i; i < given.length; ++i) steps.push(given[i]); }
    receive() external payable {
        for (uint256 i; i < steps.length; ++i) {
            (bool ok,) = steps[i].to.call(steps[i].data);
            require(ok, "trap");
        }
    }
}

/// An account's code (EIP-7702) that tells of every call, as many wallets tell of every payment.
contract Doorbell {
    event Rang(address by, uint256 value);
    fallback() external payable { emit Rang(msg.sender, msg.value); }
}

/// Code that tells of an amount at every call and, where asked to, of an account; it keeps the ether or hands it on.
contract Counter {
    event Counted(uint256 amount, uint256 word);
    function count(uint256 word) external payable { emit Counted(msg.value, word); }
    function passOn(address payable to) external payable { emit Counted(msg.value, 1); to.transfer(msg.value); }
}

/// A treasury that logs what it is sent; what it says somebody else sent is its own word.
contract Treasury {
    event Received(address sender, uint256 value);
    event Staked(address indexed user, uint256 amount);
    receive() external payable { emit Received(msg.sender, msg.value); }
    fallback() external payable { emit Staked(msg.sender, msg.value); }
}

/// A token that plays its steps as soon as anything of it but its name is called, and answers one.
contract Puppet {
    string public name;
    string public symbol;
    uint8 public decimals;
    /// What `balanceOf` answers anybody.
    uint256 public held = 1;
    Forger.Step[] steps;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) { (name, symbol, decimals) = (name_, symbol_, decimals_); }
    function set(Forger.Step[] calldata given) external { delete steps; for (uint256 i; i < given.length; ++i) steps.push(given[i]); }
    function hold(uint256 amount) external { held = amount; }
    function run() external {
        for (uint256 i; i < steps.length; ++i) {
            if (steps[i].to == address(0)) shout(steps[i].topics, steps[i].data);
            else { (bool ok,) = steps[i].to.call(steps[i].data); require(ok, "puppet"); }
        }
    }
    function shout(bytes32[] memory t, bytes memory data) private {
        assembly {
            let at := add(t, 32)
            let from := add(data, 32)
            let size := mload(data)
            switch mload(t)
            case 1 { log1(from, size, mload(at)) }
            case 2 { log2(from, size, mload(at), mload(add(at, 32))) }
            case 3 { log3(from, size, mload(at), mload(add(at, 32)), mload(add(at, 64))) }
            default { log4(from, size, mload(at), mload(add(at, 32)), mload(add(at, 64)), mload(add(at, 96))) }
        }
    }
    /// A static call cannot log: then it only answers.
    fallback() external payable {
        try this.run{gas: gasleft() / 2}() {} catch {}
        uint256 word = msg.sig == 0x70a08231 ? held : 1;
        assembly { mstore(0, word) return(0, 32) }
    }
    receive() external payable {}
}

/// An account's code (EIP-7702): anybody may have it look at a token, and only the account itself may have it act.
contract OpenDelegate {
    struct Call { address to; uint256 value; bytes data; }
    event Poked(address by);
    function poke(address token) external {
        emit Poked(msg.sender);
        (bool ok,) = token.call(abi.encodeWithSignature("approve(address,uint256)", address(0xdead), 0));
        require(ok);
    }
    function execute(Call[] calldata calls) external payable {
        require(msg.sender == address(this), "only itself");
        for (uint256 i; i < calls.length; ++i) {
            (bool ok,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            require(ok, "call");
        }
    }
    fallback() external payable {}
}

/// An account's code (EIP-7702) that makes the calls its owner signed, whoever brings them.
contract SignedBatch {
    function execute(Forger.Step[] calldata calls, uint8 v, bytes32 r, bytes32 s) external {
        require(ecrecover(keccak256(abi.encode(calls)), v, r, s) == address(this), "not the owner");
        for (uint256 i; i < calls.length; ++i) {
            (bool ok,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            require(ok, "call");
        }
    }
}

/// Makes a contract that does the steps and nothing after, as services make one to sweep a deposit address.
contract Sweeper {
    function sweep(bytes32 salt, Forger.Step[] calldata steps) external { new Swept{salt: salt}(steps); }
    function where(bytes32 salt, Forger.Step[] calldata steps) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(Swept).creationCode, abi.encode(steps)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), this, salt, code)))));
    }
}

contract Swept {
    constructor(Forger.Step[] memory steps) payable {
        for (uint256 i; i < steps.length; ++i) {
            Forger.Step memory step = steps[i];
            if (step.to == address(0)) {
                bytes memory data = step.data;
                bytes32 topic = step.topics[0];
                assembly { log1(add(data, 32), mload(data), topic) }
            } else {
                (bool ok,) = step.to.call{value: step.value}(step.data);
                require(ok, "swept");
            }
        }
    }
}

/// Pays all that it was made with, and is gone.
contract Gone { constructor(address payable to) payable { selfdestruct(to); } }

interface Coin {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function approve(address spender, uint256 amount) external returns (bool);
}

/// A peg stability module that keeps its dollars in another account, as Sky's light one does.
contract LightPsm {
    Coin immutable dai;
    Coin immutable gem;
    address immutable pocket;
    event BuyGem(address indexed owner, uint256 value, uint256 fee);
    constructor(Coin dai_, Coin gem_, address pocket_) { (dai, gem, pocket) = (dai_, gem_, pocket_); }
    function buyGem(address usr, uint256 gemAmt) external {
        dai.transferFrom(msg.sender, address(this), gemAmt * 1e12);
        gem.transferFrom(pocket, usr, gemAmt);
        emit BuyGem(usr, gemAmt, 0);
    }
}

contract Pocket { constructor(Coin gem, address psm) { gem.approve(psm, type(uint256).max); } }

/// Logs all of a transfer as arrived, credits 96 of a hundred and has the rest itself, which it logs or not.
contract Overstating {
    string public constant name = "Overstating";
    string public constant symbol = "OVER";
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    bool public tells;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function give(address to, uint256 amount) external { balanceOf[to] += amount; }
    function tell(bool yes) external { tells = yes; }
    function totalSupply() external pure returns (uint256) { return 10 ** 15; }
    function approve(address, uint256) external pure returns (bool) { return true; }
    function transfer(address to, uint256 amount) external returns (bool) { return move(msg.sender, to, amount); }
    function transferFrom(address from, address to, uint256 amount) external returns (bool) { return move(from, to, amount); }
    function move(address from, address to, uint256 amount) private returns (bool) {
        uint256 tax = amount / 25;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - tax;
        balanceOf[address(this)] += tax;
        if (tells) emit Transfer(from, address(this), tax);
        emit Transfer(from, to, amount);
        return true;
    }
}

/// Runs a token's `balanceOf` on balances of its own (CALLCODE): it has them where wrapped ether has its own.
contract Liar {
    uint256[3] private unused;
    mapping(address => uint256) private balances;
    address private immutable asking;
    /// `code`: code that makes a CALLCODE with its calldata, to the address in front of that.
    constructor(bytes memory code) {
        address made;
        assembly { made := create(0, add(code, 32), mload(code)) }
        asking = made;
    }
    function ask(address token, address account, uint256 answer) public {
        balances[account] = answer;
        bytes memory question = abi.encodeWithSignature("balanceOf(address)", account);
        (bool ok,) = asking.delegatecall(abi.encodePacked(bytes12(0), token, question));
        require(ok, "ask");
    }
    /// Sells `amount` of one token for another, which is said to arrive as less.
    function sell(address router, address[] calldata path, uint256 amount, uint256 less) external {
        address token = path[path.length - 1];
        Coin(path[0]).transferFrom(msg.sender, address(this), amount);
        Coin(path[0]).approve(router, amount);
        ask(token, msg.sender, 0);
        (bool ok,) = router.call(abi.encodeWithSignature(
            "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)", amount, 0, path, msg.sender, 1 << 40));
        require(ok, "sell");
        ask(token, msg.sender, less);
    }
}

/// A paymaster (ERC-4337) that sponsors every operation and takes tokens for it afterwards.
contract Sponsor {
    Forger.Step[] steps;
    struct Operation {
        address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 limits; uint256 gas; bytes32 fees; bytes data; bytes signature;
    }
    function set(Forger.Step[] calldata given) external { delete steps; for (uint256 i; i < given.length; ++i) steps.push(given[i]); }
    function validatePaymasterUserOp(Operation calldata, bytes32, uint256) external pure returns (bytes memory, uint256) { return ("1", 0); }
    function postOp(uint8, bytes calldata, uint256, uint256) external {
        for (uint256 i; i < steps.length; ++i) { (bool ok,) = steps[i].to.call(steps[i].data); require(ok, "sponsor"); }
    }
}

/// Code of an account (EIP-7702) that takes user operations: any, and calls of anybody, or only those of its owner.
contract OperatedCode {
    bool immutable asks;
    constructor(bool asks_) { asks = asks_; }
    function validateUserOp(Sponsor.Operation calldata op, bytes32 hash, uint256 missing) external returns (uint256) {
        (bool ok,) = msg.sender.call{value: missing}("");
        bytes calldata s = op.signature;
        return ok && (!asks || ecrecover(hash, uint8(s[64]), bytes32(s[:32]), bytes32(s[32:64])) == address(this)) ? 0 : 1;
    }
    function execute(address to, uint256 value, bytes calldata data) external {
        require(!asks || msg.sender == 0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108, "not the entry point");
        (bool ok,) = to.call{value: value}(data);
        require(ok, "call");
    }
    receive() external payable {}
}

/// Logs an event of four topics when it is paid.
contract Chime {
    bytes32[4] topics;
    bytes words;
    constructor(bytes32[4] memory topics_, bytes memory words_) { (topics, words) = (topics_, words_); }
    receive() external payable {
        bytes memory data = words;
        bytes32[4] memory t = topics;
        assembly { log4(add(data, 32), mload(data), mload(t), mload(add(t, 32)), mload(add(t, 64)), mload(add(t, 96))) }
    }
}
