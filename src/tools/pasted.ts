import { readTxHash, whyNoTxHash } from './client/txHash.ts';

/**
 * The kind of a pasted text. `chain`: of another chain, its name or site; `data`: longer than any hash;
 * `cut`: the number of its digits; `short`: with an ellipsis; `digit`: the character that is no hex digit.
 */
export interface Pasted {
  readonly kind:
    | 'transaction'
    | 'block'
    | 'address'
    | 'name'
    | 'chain'
    | 'data'
    | 'cut'
    | 'short'
    | 'digit'
    | 'unknown';
  readonly value: string;
}

/** Sites that show one chain are named like this; these few of them show Ethereum mainnet. */
const EXPLORER = /^(?:[\w-]+\.)*[\w-]*(?:scan|trace)\.[a-z]{2,8}$|^[\w-]+\.blockscout\.com$/;
const MAINNET_SITE = /^(?:(?:www|cn)\.)?(?:ether|block|beacon|eth)scan\.|^eth\.|^(?:www\.)?ethtrace\./;
/** The chain in CAIP-2 and ERC-3770 texts, and in links of explorers of many chains. */
const CHAIN_WORDS = [
  /^eip155:(\w+)/,
  /^(?!https?:)([a-z]\w{1,9}):0x/,
  /\/(?:tx|transactions?|block|address)\/([\w-]+)\/0x/,
  /^(?:https?:\/\/)?[\w.-]+\/([\w-]+)\/(?:tx|transaction)\/0x/,
];
const MAINNET_WORD =
  /^(?:1|eth|ethereum|mainnet|ethereum-mainnet|main|tx|hash|explorer|app|dashboard|evm|en|zh|cn)$/;

function otherChain(text: string): string | null {
  const site = /^(?:https?:\/\/)?([\w-]+(?:\.[\w-]+)+)(?=\/)/.exec(text)?.[1]?.replace(/^www\./, '');
  if (site !== undefined && EXPLORER.test(site) && !MAINNET_SITE.test(site)) return site;
  const words = CHAIN_WORDS.flatMap((pattern) => pattern.exec(text)?.[1] ?? []);
  const other = words.find((word) => !MAINNET_WORD.test(word) && !word.startsWith('0x'));
  return other === undefined ? null : other.replace(/^\d+$/, 'chain $&');
}

/** Longer runs of digits are calldata or a signed transaction. */
const MOST_DIGITS = 130;

/** Each form of text with its value, the most telling first. */
const FORMS: readonly (readonly [Pasted['kind'], RegExp])[] = [
  ['block', /(?:\/block\/|[?&]block=)(0x[\da-f]{64}|\d{1,12})(?!\w)/],
  ['block', /^(?:block)?[:#]*(\d{1,12}|latest)$/],
  ['name', /(?:^|[/=])([^\s/:=?]+\.eth)$/],
  ['address', /(?<![\da-f])((?:0x)?[\da-f]{40})(?![\da-f…])/],
];

/** The kind of a pasted text: in any case, quoted, broken into lines, or inside a link. */
export function readPasted(text: string): Pasted {
  const plain = text
    .slice(0, 10_000)
    .toLowerCase()
    .replaceAll(/%(?:2f|3a|3d)/g, '/')
    .replaceAll(/\p{Cf}/gu, '');
  const bare = plain
    .replaceAll(/\s+|(?<=\d)[,_'’](?=\d{3})/g, '')
    .replaceAll(/^["'“‘`<([{]+|[\]})>"'”’`.,;:!?]+$/g, '');
  const chain = otherChain(bare);
  if (chain !== null) return { kind: 'chain', value: chain };
  const [, inLink] = FORMS[0]![1].exec(bare) ?? [];
  const hash = inLink === undefined ? (readTxHash(plain) ?? readTxHash(bare)) : null;
  if (hash !== null) return { kind: 'transaction', value: hash };
  for (const [kind, form] of FORMS) {
    const value = form.exec(bare)?.[1];
    if (value !== undefined) return { kind, value: kind === 'address' ? value.padStart(42, '0x') : value };
  }
  return digitsIn(bare);
}

/** The hash in pasted text, as 0x and 64 lower-case digits; null where it is anything else. */
export function pastedHash(text: string): string | null {
  const { kind, value } = readPasted(text);
  return kind === 'transaction' ? value : null;
}

/** Of a text without a whole value: part of a hash, one with a wrong character, or something longer. */
function digitsIn(text: string): Pasted {
  if (/^0x[\da-f]+(?:…|\.\.+)[\da-f]*$/.test(text)) return { kind: 'short', value: '' };
  const wrong = text.length === 66 ? /^0x[\da-f]*([^\da-f])[\da-z]*$/.exec(text)?.[1] : undefined;
  if (wrong !== undefined) return { kind: 'digit', value: wrong };
  const digits = /^(?:0x)?([\da-f]+)$/.exec(text)?.[1]?.length ?? 0;
  if (digits > MOST_DIGITS) return { kind: 'data', value: '' };
  return digits > 0 ? { kind: 'cut', value: `${digits}` } : { kind: 'unknown', value: '' };
}

const WHY: Readonly<Record<Pasted['kind'], (value: string) => string | null>> = {
  block: (block) => `this is a block, ${block}`,
  name: () => 'this is a name, and names are not looked up; paste a transaction hash',
  address: () => 'this is an address; a transaction hash has 64 digits after 0x',
  chain: (chain) => `${chain} is not Ethereum mainnet; only that is analysed`,
  data: () => 'this is calldata or a signed transaction, not a hash',
  short: () => 'this is a shortened hash; copy it whole, 64 digits after 0x',
  digit: (digit) => `\`${digit}\` is no hexadecimal digit; a transaction hash is 0x and 64 of them`,
  cut: () => null,
  transaction: () => null,
  unknown: () => null,
};

/** Explains why pasted text is no transaction hash. */
export function whyNoTransaction(text: string): string {
  const { kind, value } = readPasted(text);
  return WHY[kind](value) ?? whyNoTxHash(text);
}

/** Commands that take the pasted text in place of a transaction hash. */
export function commandsFor(text: string): readonly string[] {
  const { kind, value } = readPasted(text);
  if (kind === 'block') return [`txreport block ${value}`];
  if (kind === 'data') return ['txreport preview --raw 0x…'];
  if (kind !== 'address') return [];
  return [`txreport batch --blocks latest-100 --involving ${value}`, `txreport analyze <hash> --as ${value}`];
}
