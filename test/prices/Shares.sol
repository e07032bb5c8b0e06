// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A contract that answers calls as it was told.
contract Answers {
    mapping(bytes32 => bytes) answers;
    function answer(bytes memory call, bytes memory result) public { answers[keccak256(call)] = result; }
    fallback() external {
        bytes memory result = answers[keccak256(msg.data)];
        require(result.length > 0, "no answer");
        assembly { return(add(result, 32), mload(result)) }
    }
}

/// A token with views as it was told. Its code is placed at addresses, so that nothing is immutable.
contract Share is Answers {
    event Transfer(address indexed from, address indexed to, uint256 value);
    string public symbol;
    uint8 public decimals;
    mapping(address => uint256) public balanceOf;
    function init(string memory symbol_, uint8 decimals_, address holder) external {
        symbol = symbol_;
        decimals = decimals_;
        balanceOf[holder] = 1e30;
    }
    function name() external view returns (string memory) { return symbol; }
    function transfer(address to, uint256 value) public returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
    /// Changes an answer in the transaction that moves the token.
    function transferAndAnswer(address to, uint256 value, bytes memory call, bytes memory result) external {
        answer(call, result);
        transfer(to, value);
    }
}

contract Picture {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    mapping(uint256 => address) public ownerOf;
    string public constant symbol = "PIC";
    string public constant name = "Picture";
    function mint(address to, uint256 id) external { ownerOf[id] = to; emit Transfer(address(0), to, id); }
    function transferFrom(address from, address to, uint256 id) external {
        require(ownerOf[id] == from);
        ownerOf[id] = to;
        emit Transfer(from, to, id);
    }
    function supportsInterface(bytes4 id) external pure returns (bool) { return id == 0x80ac58cd || id == 0x01ffc9a7; }
}

/// Sells as Seaport logs it: the seller gets what is left of the price after a fee.
contract Market {
    struct Item { uint8 itemType; address token; uint256 identifier; uint256 amount; }
    struct Received { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }
    event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, Item[] offer, Received[] consideration);
    function buy(Picture nft, uint256 id, address payable seller, uint256 price, address payable house, uint256 fee) public payable {
        nft.transferFrom(seller, msg.sender, id);
        seller.transfer(price - fee);
        house.transfer(fee);
        Item[] memory offer = new Item[](1);
        offer[0] = Item(2, address(nft), id, 1);
        Received[] memory consideration = new Received[](2);
        consideration[0] = Received(0, address(0), 0, price - fee, seller);
        consideration[1] = Received(0, address(0), 0, fee, house);
        emit OrderFulfilled(bytes32(id), seller, address(0), msg.sender, offer, consideration);
    }
    function buyTwo(Picture nft, uint256[2] memory ids, address payable[2] memory sellers, uint256[2] memory prices, address payable house, uint256[2] memory fees) external payable {
        buy(nft, ids[0], sellers[0], prices[0], house, fees[0]);
        buy(nft, ids[1], sellers[1], prices[1], house, fees[1]);
    }
}
