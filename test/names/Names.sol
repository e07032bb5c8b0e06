// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// The Ethereum Name Service as far as primary names need it: EIP-137 registry, ENSIP-1 and ENSIP-3 resolver, and the
// universal resolver of ENSIP-23 without gateways. Anybody may write any record: what counts is how it is read.

contract Registry {
    mapping(bytes32 => address) public resolver;

    function setResolver(bytes32 node, address to) external {
        resolver[node] = to;
    }
}

contract Resolver {
    mapping(bytes32 => bytes) internal names;
    mapping(bytes32 => address) public addr;

    function setName(bytes32 node, bytes calldata text) external {
        names[node] = text;
    }

    function setAddr(bytes32 node, address to) external {
        addr[node] = to;
    }

    function name(bytes32 node) external view virtual returns (string memory) {
        return string(names[node]);
    }
}

/// Answers a name only through a gateway (ERC-3668).
contract GatewayResolver {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData);

    function name(bytes32) external view returns (string memory) {
        string[] memory urls = new string[](1);
        urls[0] = "https://names.example/{data}";
        revert OffchainLookup(address(this), urls, "", 0x12345678, "");
    }
}

/// Spends all gas it is given.
contract EndlessResolver {
    function name(bytes32 node) external pure returns (string memory) {
        while (true) node = keccak256(abi.encode(node));
        return "";
    }
}

contract UniversalResolver {
    error ResolverNotFound(bytes name);
    error ReverseAddressMismatch(string primary, bytes primaryAddress);

    Registry internal constant REGISTRY = Registry(0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e);

    function reverse(bytes calldata lookup, uint256 coinType)
        external
        view
        returns (string memory primary, address resolver, address reverseResolver)
    {
        require(coinType == 60 && lookup.length == 20);
        bytes32 node = keccak256(abi.encodePacked(namehash("addr.reverse"), keccak256(hexOf(lookup))));
        reverseResolver = REGISTRY.resolver(node);
        if (reverseResolver == address(0)) revert ResolverNotFound("");
        primary = Resolver(reverseResolver).name(node);
        if (bytes(primary).length == 0) return ("", address(0), reverseResolver);
        bytes32 forward = namehash(bytes(primary));
        resolver = REGISTRY.resolver(forward);
        if (resolver == address(0)) revert ResolverNotFound(bytes(primary));
        address found = Resolver(resolver).addr(forward);
        if (found != address(bytes20(lookup))) revert ReverseAddressMismatch(primary, abi.encodePacked(found));
    }

    function namehash(bytes memory text) public pure returns (bytes32 node) {
        uint256 end = text.length;
        for (uint256 left = text.length + 1; left > 0; left--) {
            uint256 i = left - 1;
            if (i > 0 && text[i - 1] != ".") continue;
            bytes memory label = new bytes(end - i);
            for (uint256 k = i; k < end; k++) label[k - i] = text[k];
            node = keccak256(abi.encodePacked(node, keccak256(label)));
            if (i > 0) end = i - 1;
        }
    }

    function hexOf(bytes calldata data) internal pure returns (bytes memory text) {
        bytes16 digits = "0123456789abcdef";
        text = new bytes(data.length * 2);
        for (uint256 i = 0; i < data.length; i++) {
            text[2 * i] = digits[uint8(data[i]) >> 4];
            text[2 * i + 1] = digits[uint8(data[i]) & 15];
        }
    }
}

/// Answers every question with the bytes it was given.
contract AnyAnswer {
    bytes internal answer;

    function set(bytes calldata data) external {
        answer = data;
    }

    fallback() external {
        bytes memory data = answer;
        assembly {
            return(add(data, 32), mload(data))
        }
    }
}

/// Pays one wei to each account.
contract Payer {
    function pay(address payable[] calldata accounts) external payable {
        for (uint256 i = 0; i < accounts.length; i++) accounts[i].transfer(1);
    }
}
