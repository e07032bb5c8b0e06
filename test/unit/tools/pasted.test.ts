import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../src/tools/cli/layout.ts';
import { commandsFor, pastedHash, readPasted, whyNoTransaction } from '../../../src/tools/pasted.ts';

const HASH = `0x${'ab12'.repeat(16)}`;
const OTHER = `0x${'cd34'.repeat(16)}`;
const ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const LOWER = ADDRESS.toLowerCase();

describe('pasted text', () => {
  it.each([
    HASH,
    HASH.toUpperCase(),
    HASH.slice(2),
    `"${HASH}"`,
    `'${HASH}'`,
    `<${HASH}>`,
    `\`${HASH}\``,
    `“${HASH}”`,
    ` ${HASH}\n`,
    `${HASH}.`,
    `(${HASH})`,
    `tx_hash=${HASH}`,
    `{"tx_hash":"${HASH}"}`,
    `${HASH.slice(0, 34)}\n  ${HASH.slice(34)}`,
    `\u200b${HASH}\u200d`,
    `eip155:1:${HASH}`,
    `my transaction ${HASH} failed`,
    `https://etherscan.io/tx/${HASH}`,
    `etherscan.io/tx/${HASH}#eventlog`,
    `https://www.etherscan.io/tx/${HASH}?a=1`,
    `https://cn.etherscan.com/tx/${HASH}`,
    `https%3A%2F%2Fetherscan.io%2Ftx%2F${HASH}`,
    `https://eth.blockscout.com/tx/${HASH}`,
    `https://app.blocksec.com/explorer/tx/eth/${HASH}`,
    `https://dashboard.tenderly.co/tx/mainnet/${HASH}`,
    `https://dashboard.tenderly.co/me/project/tx/mainnet/${HASH}`,
    `https://dashboard.tenderly.co/tx/${HASH}`,
    `https://www.oklink.com/eth/tx/${HASH}`,
    `https://blockchair.com/ethereum/transaction/${HASH}`,
    `https://ethplorer.io/tx/${HASH}`,
  ])('%s is a transaction', (text) => {
    expect(readPasted(text)).toEqual({ kind: 'transaction', value: HASH });
    expect(pastedHash(text)).toBe(HASH);
  });

  it.each([
    ['17073193', '17073193'],
    ['#17073193', '17073193'],
    ['block 17073193', '17073193'],
    ['17,073,193', '17073193'],
    ['17_073_193', '17073193'],
    ["17'073'193", '17073193'],
    ['latest', 'latest'],
    ['https://etherscan.io/block/17073193', '17073193'],
    [`https://etherscan.io/block/${HASH}`, HASH],
    ['https://etherscan.io/txs?block=17073193', '17073193'],
    ['https://eth.blockscout.com/block/17073193?tab=txs', '17073193'],
  ])('%s is a block', (text, value) => {
    expect(readPasted(text)).toEqual({ kind: 'block', value });
    expect(whyNoTransaction(text)).toBe(`this is a block, ${value}`);
    expect(commandsFor(text)).toEqual([`txreport block ${value}`]);
  });

  it.each([
    ADDRESS,
    ADDRESS.slice(2),
    ` ${ADDRESS},`,
    `https://etherscan.io/address/${ADDRESS}`,
    `https://etherscan.io/token/${ADDRESS}?a=1`,
    `https://etherscan.io/nft/${ADDRESS}/12`,
    `eth:${ADDRESS}`,
    `eip155:1:${ADDRESS}`,
  ])('%s is an address', (text) => {
    expect(readPasted(text)).toEqual({ kind: 'address', value: LOWER });
    expect(whyNoTransaction(text)).toMatch(/^this is an address; /);
    expect(commandsFor(text)).toEqual([
      `txreport batch --blocks latest-100 --involving ${LOWER}`,
      `txreport analyze <hash> --as ${LOWER}`,
    ]);
  });

  it.each([
    ['vitalik.eth', 'vitalik.eth'],
    ['Pay.Vitalik.ETH', 'pay.vitalik.eth'],
    ['https://etherscan.io/address/vitalik.eth', 'vitalik.eth'],
    ['https://app.ens.domains/vitalik.eth', 'vitalik.eth'],
  ])('%s is a name', (text, value) => {
    expect(readPasted(text)).toEqual({ kind: 'name', value });
    expect(whyNoTransaction(text)).toMatch(/^this is a name, and names are not looked up/);
  });

  it.each([
    [`https://polygonscan.com/tx/${HASH}`, 'polygonscan.com'],
    [`https://bscscan.com/tx/${HASH}`, 'bscscan.com'],
    [`arbiscan.io/tx/${HASH}`, 'arbiscan.io'],
    [`https://basescan.org/tx/${HASH}`, 'basescan.org'],
    [`https://sepolia.etherscan.io/tx/${HASH}`, 'sepolia.etherscan.io'],
    [`https://optimistic.etherscan.io/tx/${HASH}`, 'optimistic.etherscan.io'],
    [`https://base.blockscout.com/tx/${HASH}`, 'base.blockscout.com'],
    [`https://snowtrace.io/tx/${HASH}`, 'snowtrace.io'],
    ['https://solscan.io/tx/5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnb', 'solscan.io'],
    ['https://polygonscan.com/block/17073193', 'polygonscan.com'],
    [`https://dashboard.tenderly.co/tx/polygon/${HASH}`, 'polygon'],
    [`https://dashboard.tenderly.co/tx/137/${HASH}`, 'chain 137'],
    [`https://www.oklink.com/polygon/tx/${HASH}`, 'polygon'],
    [`eip155:137:${HASH}`, 'chain 137'],
    [`matic:${ADDRESS}`, 'matic'],
  ])('%s is of another chain', (text, value) => {
    expect(readPasted(text)).toEqual({ kind: 'chain', value });
    expect(whyNoTransaction(text)).toBe(`${value} is not Ethereum mainnet; only that is analysed`);
  });

  it.each([
    [HASH.slice(0, -1), 'this has 63 hexadecimal digits; '],
    [`${HASH}a`, 'this has 65 hexadecimal digits; '],
    ['0x12', 'this has 2 hexadecimal digits; '],
    [`${HASH.slice(0, 10)}…${HASH.slice(-4)}`, 'this is a shortened hash; '],
    [`${HASH.slice(0, 10)}...${HASH.slice(-4)}`, 'this is a shortened hash; '],
    [`${HASH.slice(0, -1)}g`, '`g` is no hexadecimal digit; '],
    [`${HASH.slice(0, 20)}o${HASH.slice(21)}`, '`o` is no hexadecimal digit; '],
    [`0x${'ab'.repeat(300)}`, 'this is calldata or a signed transaction, not a hash'],
    [`${HASH} ${OTHER}`, 'this holds several transaction hashes; paste one'],
    [`${HASH},${OTHER}`, 'this holds several transaction hashes; paste one'],
    ['', 'paste a transaction hash: '],
    [' \n', 'paste a transaction hash: '],
    ['0x', 'a transaction hash is 0x and 64 hexadecimal digits; '],
    ['hello', 'a transaction hash is 0x and 64 hexadecimal digits; '],
    ['report.json', 'a transaction hash is 0x and 64 hexadecimal digits; '],
    ['https://etherscan.io/', 'a transaction hash is 0x and 64 hexadecimal digits; '],
  ])('%s is none of these, with the reason', (text, why) => {
    expect(pastedHash(text)).toBeNull();
    expect(whyNoTransaction(text).slice(0, why.length)).toBe(why);
  });

  it('of any length is read in a moment', () => {
    const began = performance.now();
    for (const part of ['.', 'a.', 'ab', ',1', '/tx/', '\u200b', '" ']) readPasted(part.repeat(200_000));
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

it('a terminal of no columns counts as one of 80', () => {
  expect([columnsOf(0), columnsOf(120), columnsOf(undefined)]).toEqual([80, 120, undefined]);
});
