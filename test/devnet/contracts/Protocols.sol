// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IToken, Call, Calls} from "./Venues.sol";

/// Answers as a Chainlink price feed does.
contract PriceFeed {
    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);
    uint8 public constant decimals = 8;
    uint256 public constant version = 4;
    string public description;
    int256 public latestAnswer;
    uint80 public round;
    uint256 public updatedAt;
    constructor(string memory description_) { description = description_; }
    function setAnswer(int256 answer) external {
        latestAnswer = answer;
        updatedAt = block.timestamp;
        emit AnswerUpdated(answer, ++round, block.timestamp);
    }
    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (round, latestAnswer, updatedAt, updatedAt, round);
    }
}

/// The plain single-token staking pool: three events everybody copies.
contract StakingPool {
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
        getReward();
        balanceOf[msg.sender] += amount;
        stakingToken.transferFrom(msg.sender, address(this), amount);
        emit Staked(msg.sender, amount);
    }
    function withdraw(uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        stakingToken.transfer(msg.sender, amount);
        emit Withdrawn(msg.sender, amount);
    }
    function getReward() public {
        uint256 reward = earned(msg.sender);
        since[msg.sender] = block.timestamp;
        if (reward == 0) return;
        rewardToken.transfer(msg.sender, reward);
        emit RewardPaid(msg.sender, reward);
    }
}

contract Disperse {
    function disperseEther(address[] calldata to, uint256[] calldata values) external payable {
        for (uint256 i; i < to.length; ++i) { (bool ok,) = to[i].call{value: values[i]}(""); require(ok); }
        uint256 rest = address(this).balance;
        if (rest > 0) { (bool ok,) = msg.sender.call{value: rest}(""); require(ok); }
    }
    function disperseToken(IToken token, address[] calldata to, uint256[] calldata values) external {
        uint256 total;
        for (uint256 i; i < to.length; ++i) total += values[i];
        token.transferFrom(msg.sender, address(this), total);
        for (uint256 i; i < to.length; ++i) token.transfer(to[i], values[i]);
    }
}

/// Claims against a table of entitlements (the tree itself adds nothing to what the chain shows).
contract AirdropDistributor {
    event Claimed(uint256 index, address account, uint256 amount);
    IToken public immutable token;
    mapping(uint256 => bool) public isClaimed;
    constructor(IToken token_) { token = token_; }
    function claim(uint256 index, address account, uint256 amount, bytes32[] calldata) external {
        require(!isClaimed[index], "MerkleDistributor: Drop already claimed.");
        isClaimed[index] = true;
        token.transfer(account, amount);
        emit Claimed(index, account, amount);
    }
}

/// Receives an Aave flash loan, runs calls with it and lets the pool take it back.
contract FlashBorrower {
    using Calls for Call[];
    function borrow(address pool, address asset, uint256 amount, bytes calldata params) external {
        (bool ok, bytes memory why) = pool.call(abi.encodeWithSignature(
            "flashLoanSimple(address,address,uint256,bytes,uint16)", address(this), asset, amount, params, 0));
        if (!ok) assembly { revert(add(why, 32), mload(why)) }
    }
    function executeOperation(address asset, uint256 amount, uint256 premium, address, bytes calldata params) external returns (bool) {
        if (params.length > 0) this.runCalls(abi.decode(params, (Call[])));
        IToken(asset).approve(msg.sender, amount + premium);
        return true;
    }
    function runCalls(Call[] calldata calls) external { require(msg.sender == address(this)); calls.run(); }
}

/// What an account delegates to under EIP-7702: run a batch, for itself or for whoever sponsors it.
contract BatchDelegate {
    using Calls for Call[];
    event Executed(address indexed sender, uint256 count);
    receive() external payable {}
    function execute(Call[] calldata calls) external payable {
        calls.run();
        emit Executed(msg.sender, calls.length);
    }
    function ping() external pure returns (uint256) { return 7702; }
    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) { return 0x150b7a02; }
}

/// A protocol with events of its own making: for trying out how quickly a rule can be written for it.
contract NovelProtocol {
    event BurrowEntered(address indexed badger, address indexed larder, uint256 acorns, uint256 tunnels);
    event BurrowLeft(address indexed badger, address indexed larder, uint256 acorns, uint256 tunnels);
    event HarvestGathered(address indexed badger, uint256 truffles);
    event MoonPhase(uint256 indexed phase, bytes32 omen);
    IToken immutable acorn;
    IToken immutable truffle;
    mapping(address => uint256) public tunnelsOf;
    constructor(IToken acorn_, IToken truffle_) { acorn = acorn_; truffle = truffle_; }
    function enter(uint256 acorns) external {
        acorn.transferFrom(msg.sender, address(this), acorns);
        tunnelsOf[msg.sender] += acorns * 3;
        emit BurrowEntered(msg.sender, address(acorn), acorns, acorns * 3);
    }
    function leave(uint256 tunnels) external {
        tunnelsOf[msg.sender] -= tunnels;
        acorn.transfer(msg.sender, tunnels / 3);
        emit BurrowLeft(msg.sender, address(acorn), tunnels / 3, tunnels);
    }
    function harvest() external {
        uint256 truffles = tunnelsOf[msg.sender] / 100;
        truffle.transfer(msg.sender, truffles);
        emit HarvestGathered(msg.sender, truffles);
    }
    function howl(uint256 phase) external { emit MoonPhase(phase, keccak256(abi.encode(phase))); }
}
