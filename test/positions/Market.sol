// SPDX-License-Identifier: MIT
pragma solidity ^0.8.26;

interface INft { function transferFrom(address from, address to, uint256 id) external; }

/// Sells a listed NFT: of the price a twentieth goes to the creator, a fortieth to the house, the rest to the seller.
contract RoyaltyMarket {
    event BuyPriceAccepted(address indexed nftContract, uint256 indexed tokenId, address indexed seller, address buyer, uint256 protocolFee, uint256 creatorFee, uint256 sellerRev);
    address payable immutable house;
    address payable immutable creator;
    constructor(address payable house_, address payable creator_) { (house, creator) = (house_, creator_); }
    function buy(address collection, uint256 id, address payable seller) external payable {
        uint256 fee = msg.value / 40;
        uint256 royalty = msg.value / 20;
        INft(collection).transferFrom(seller, msg.sender, id);
        house.transfer(fee);
        creator.transfer(royalty);
        seller.transfer(msg.value - fee - royalty);
        emit BuyPriceAccepted(collection, id, seller, msg.sender, fee, royalty, msg.value - fee - royalty);
    }
}
