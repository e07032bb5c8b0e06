// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Settlements of signed orders, written after the published sources of those whose addresses the tests give them.

struct Step { address to; uint256 value; bytes data; bytes32[] topics; }
struct Output { address token; uint256 amount; address to; }
struct Swap { address swapper; uint256 nonce; address token; uint256 amount; Output[] outputs; bytes signature; }
struct Offer { address maker; address receiver; address makerAsset; address takerAsset; uint256 making; uint256 taking; uint256 salt; }

interface Coin { function transferFrom(address from, address to, uint256 amount) external returns (bool); }
interface Wallet { function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4); }
interface Keeper {
    struct Permitted { address token; uint256 amount; }
    struct Permit { Permitted permitted; uint256 nonce; uint256 deadline; }
    struct Details { address to; uint256 amount; }
    function permitWitnessTransferFrom(Permit calldata, Details calldata, address owner, bytes32 witness, string calldata, bytes calldata) external;
}

/// Makes calls, also where a settlement calls it back.
contract Filler {
    function play(Step[] memory steps) public payable {
        for (uint256 i; i < steps.length; ++i) {
            (bool ok, bytes memory answer) = steps[i].to.call{value: steps[i].value}(steps[i].data);
            if (!ok) assembly { revert(add(answer, 32), mload(answer)) }
        }
    }
    function called(bytes calldata data) external { play(abi.decode(data, (Step[]))); }
    receive() external payable {}
}

/// Takes all inputs to the filler, calls it back, and has it pay order by order, as reactors of UniswapX do.
contract Reactor {
    event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce);
    bytes32 constant ORDER = keccak256("Order(bytes32 outputs)");
    Keeper immutable keeper;
    constructor(Keeper keeper_) { keeper = keeper_; }
    function execute(Swap[] calldata orders, bytes calldata data) external {
        for (uint256 i; i < orders.length; ++i) {
            Swap calldata one = orders[i];
            keeper.permitWitnessTransferFrom(
                Keeper.Permit(Keeper.Permitted(one.token, one.amount), one.nonce, 1 << 40),
                Keeper.Details(msg.sender, one.amount), one.swapper,
                keccak256(abi.encode(ORDER, keccak256(abi.encode(one.outputs)))),
                "Order witness)Order(bytes32 outputs)TokenPermissions(address token,uint256 amount)", one.signature);
        }
        if (data.length > 0) Filler(payable(msg.sender)).called(data);
        for (uint256 i; i < orders.length; ++i) {
            for (uint256 k; k < orders[i].outputs.length; ++k) {
                Output calldata output = orders[i].outputs[k];
                Coin(output.token).transferFrom(msg.sender, output.to, output.amount);
            }
            emit Fill(keccak256(abi.encode(orders[i])), msg.sender, orders[i].swapper, orders[i].nonce);
        }
    }
}

/// Fills parts of offers and asks for the maker's word at the first of them only, as 1inch's limit orders do.
contract Book {
    event OrderFilled(bytes32 orderHash, uint256 remaining);
    bytes32 constant OFFER = keccak256("Offer(address maker,address receiver,address makerAsset,address takerAsset,uint256 making,uint256 taking,uint256 salt)");
    mapping(bytes32 => uint256) filled;
    function hashOf(Offer calldata offer) public view returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
            keccak256("Book"), keccak256("1"), block.chainid, address(this)));
        return keccak256(abi.encodePacked("\x19\x01", domain, keccak256(abi.encode(OFFER, offer))));
    }
    function fillOrder(Offer calldata offer, bytes32 r, bytes32 vs, uint256 amount, address target, bytes calldata data) external {
        bytes32 hash = hashOf(offer);
        bytes32 s = vs & bytes32(type(uint256).max >> 1);
        require(filled[hash] > 0 || ecrecover(hash, uint8(uint256(vs) >> 255) + 27, r, s) == offer.maker, "signature");
        fill(offer, hash, amount, target, data);
    }
    function fillContractOrder(Offer calldata offer, bytes calldata signature, uint256 amount, address target) external {
        bytes32 hash = hashOf(offer);
        require(filled[hash] > 0 || Wallet(offer.maker).isValidSignature(hash, signature) == 0x1626ba7e, "signature");
        fill(offer, hash, amount, target, signature[:0]);
    }
    function fill(Offer calldata offer, bytes32 hash, uint256 amount, address target, bytes calldata data) private {
        filled[hash] += amount;
        require(filled[hash] <= offer.making, "filled");
        Coin(offer.makerAsset).transferFrom(offer.maker, target, amount);
        if (data.length > 0) Filler(payable(msg.sender)).called(data);
        address receiver = offer.receiver == address(0) ? offer.maker : offer.receiver;
        Coin(offer.takerAsset).transferFrom(msg.sender, receiver, offer.taking * amount / offer.making);
        emit OrderFilled(hash, offer.making - filled[hash]);
    }
}

/// An account's code (EIP-7702) that says yes to every signature.
contract Yes {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) { return 0x1626ba7e; }
    receive() external payable {}
}
