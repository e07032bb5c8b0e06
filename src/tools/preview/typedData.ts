import { encodeData, from as abiOf, type AbiFunction } from 'ox/AbiFunction';
import { encodeType } from 'ox/TypedData';
import { wordOf } from '../../evm/hex.ts';
import { attempt } from '../../lib/attempt.ts';
import { isRecord } from '../../lib/shape.ts';
import { erc20Id, NATIVE, nftId } from '../../value/asset.ts';
import type { Address } from '../../model/hex.ts';
import type { SimulatedCall, SignedMeaning, StateOverrides } from '../../model/simulation.ts';
import type { Asset } from '../../model/valueFlow.ts';
import { addressOf, amountOf, bad, bytesOf } from './readFields.ts';

/** The effect of a signature on typed data (EIP-712), as calls of its signer with the same effect. */
export interface TypedRequest extends SignedMeaning {
  readonly calls: readonly SimulatedCall[];
  readonly stateOverrides: StateOverrides;
}

type Values = Readonly<Record<string, any>>;
type Meaning = Pick<TypedRequest, 'calls' | 'until'> & Partial<TypedRequest>;
type Reader = (message: Values, contract: Address, signer: Address) => Meaning;

const call = (to: Address, signature: string, args: readonly unknown[]): SimulatedCall => {
  const abi: AbiFunction = abiOf(`function ${signature}` as 'function f()');
  return { to, data: encodeData(abi, args as never), value: 0n };
};
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const most = (bits: bigint): bigint => (1n << bits) - 1n;

const approval = (token: Address, spender: Address, amount: bigint): SimulatedCall =>
  call(token, 'approve(address,uint256)', [spender, amount]);

const permit: Reader = ({ spender, value, deadline }, token) => ({
  calls: [approval(token, spender, value)],
  until: deadline,
});

const flagPermit: Reader = ({ spender, allowed, expiry }, token) => ({
  calls: [approval(token, spender, allowed ? most(256n) : 0n)],
  until: expiry || most(256n),
});

/** An allowance that another contract keeps, until a time (Permit2). */
const kept = (contract: Address, { token, amount, expiration }: Values, spender: Address): SimulatedCall =>
  call(contract, 'approve(address,address,uint160,uint48)', [
    token,
    spender,
    min(amount, most(160n)),
    min(expiration, most(48n)),
  ]);

const keptPermit: Reader = ({ details, spender, sigDeadline }, contract) => ({
  calls: [details].flat().map((one: Values) => kept(contract, one, spender)),
  until: sigDeadline,
  isListedKind: true,
});

/** One transfer, up to an amount: as an allowance until its deadline. */
const transferPermit: Reader = ({ permitted, spender, deadline }, contract) => ({
  calls: [permitted].flat().map((one: Values) => kept(contract, { ...one, expiration: deadline }, spender)),
  until: deadline,
  isListedKind: true,
});

const authorized: Reader = ({ to, value, validBefore }, token) => ({
  calls: [call(token, 'transfer(address,uint256)', [to, value])],
  until: validBefore,
});

/** Slot of a Safe's threshold: one owner's consent then is enough to run it. */
const THRESHOLD_SLOT = `0x${wordOf(4)}` as const;
const NONCE_SLOT = `0x${wordOf(5)}` as const;
const SAFE_FIELDS = 'to value data operation safeTxGas baseGas gasPrice gasToken refundReceiver'.split(' ');

const safeTransaction: Reader = (message, safe, signer) => ({
  calls: [
    call(
      safe,
      'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
      // The caller's consent in place of a signature.
      [...SAFE_FIELDS.map((name) => message[name]), `0x${wordOf(signer)}${wordOf(0)}01`],
    ),
  ],
  until: most(256n),
  counters: [NONCE_SLOT],
  stateOverrides: { [safe]: { stateDiff: { [THRESHOLD_SLOT]: `0x${wordOf(1)}` } } },
});

const ITEM =
  'uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount';
const ORDER_HEAD = 'address offerer,address zone,';
const ORDER_TAIL =
  'uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,' +
  'uint256';
const VALIDATE =
  `validate(((${ORDER_HEAD}(${ITEM})[] offer,(${ITEM},address recipient)[] consideration,` +
  `${ORDER_TAIL} total)` +
  ' parameters,bytes signature)[] orders)';

/** An order anybody may fill (Seaport): its offerer may validate it by a call in place of a signature. */
const order: Reader = (message, contract, signer) => {
  const { offer, consideration } = message as Record<string, Values[]>;
  const parameters = { ...message, total: BigInt(consideration!.length) };
  const back = consideration!.filter(({ recipient }) => recipient === signer);
  return {
    calls: [call(contract, VALIDATE, [[{ parameters, signature: '0x' }]])],
    until: message['endTime'],
    isListedKind: true,
    moves: [
      ...offer!.map((item) => ({ asset: itemAsset(item), net: -amountsOf(item).at(-1)! })),
      ...back.map((item) => ({ asset: itemAsset(item), net: amountsOf(item)[0]! })),
    ],
  };
};

/** The least and the most of an amount that changes with time. */
function amountsOf({ startAmount, endAmount }: Values): readonly bigint[] {
  const [start, end] = [startAmount as bigint, endAmount as bigint];
  return start < end ? [start, end] : [end, start];
}

function itemAsset({ itemType, token, identifierOrCriteria: id }: Values): Asset {
  if (itemType === 0n) return NATIVE;
  if (itemType === 1n) return { id: erc20Id(token), kind: 'erc20', address: token, tokenId: null };
  const kind = itemType % 2n === 0n ? 'erc721' : 'erc1155';
  return { id: nftId(kind, token, id), kind, address: token, tokenId: itemType > 3n ? null : String(id) };
}

const DETAILS = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)';
const PERMISSIONS = 'TokenPermissions(address token,uint256 amount)';
const TRANSFER_FIELDS = 'address spender,uint256 nonce,uint256 deadline';
const AUTHORIZATION =
  '(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)';

/** With a last field of the spender's own type. */
const witnessed = (several: string, list: string): RegExp =>
  new RegExp(
    `^Permit${several}WitnessTransferFrom\\(TokenPermissions${list} permitted,` +
      `${TRANSFER_FIELDS},\\w+ \\w+\\)`,
  );

/**
 * By the encoded type, which a contract hashes: another order of fields is another signature. With the field
 * that names the signer, where there is one.
 */
const READERS: readonly (readonly [form: string | RegExp, read: Reader, owner?: string])[] = [
  ['Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)', permit, 'owner'],
  ['Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)', flagPermit, 'holder'],
  [`TransferWithAuthorization${AUTHORIZATION}`, authorized, 'from'],
  [`ReceiveWithAuthorization${AUTHORIZATION}`, authorized, 'from'],
  [`PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS}`, keptPermit],
  [`PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)${DETAILS}`, keptPermit],
  [`PermitTransferFrom(TokenPermissions permitted,${TRANSFER_FIELDS})${PERMISSIONS}`, transferPermit],
  [`PermitBatchTransferFrom(TokenPermissions[] permitted,${TRANSFER_FIELDS})${PERMISSIONS}`, transferPermit],
  [witnessed('', ''), transferPermit],
  [witnessed('Batch', '\\[\\]'), transferPermit],
  [
    'SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,' +
      'uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)',
    safeTransaction,
  ],
  [
    `OrderComponents(${ORDER_HEAD}OfferItem[] offer,ConsiderationItem[] consideration,` +
      `${ORDER_TAIL} counter)` +
      `ConsiderationItem(${ITEM},address recipient)OfferItem(${ITEM})`,
    order,
    'offerer',
  ],
];

/** Reads typed data as `eth_signTypedData_v4` takes it. Throws `RequestError` where it cannot. */
export function readTypedData(signer: Address, typed: unknown): TypedRequest {
  const { types, primaryType, domain, message } = (isRecord(typed) ? typed : {}) as Values;
  if (![types, domain, message].every(isRecord))
    return bad('typed data must be an object with types, primaryType, domain and message');
  const { chainId = 1n, verifyingContract } = domain as Values;
  if (amountOf(chainId, 'chainId') !== 1n) bad('the typed data is for another chain');
  const contract = addressOf(verifyingContract, 'verifyingContract');
  const encoded = attempt(() => encodeType({ types, primaryType } as never));
  if (encoded === undefined) return bad('the types of the typed data cannot be read');
  const reader = READERS.find(([form]) => (typeof form === 'string' ? form === encoded : form.test(encoded)));
  if (reader === undefined) return bad(`typed data of ${String(primaryType).slice(0, 50)} is not read`);
  const values = valueOf(primaryType as string, message, types as Types) as Values;
  const [, read, owner] = reader;
  if (owner !== undefined && values[owner] !== signer) bad('the owner in the typed data is not its signer');
  const meaning = read(values, contract, signer);
  return { contract, stateOverrides: {}, moves: [], counters: null, isListedKind: false, ...meaning };
}

type Types = Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;

/** A value by its type; a missing field is refused. */
function valueOf(type: string, value: unknown, types: Types): unknown {
  const item = /^(.*)\[\d*\]$/.exec(type)?.[1];
  if (item !== undefined)
    return Array.isArray(value)
      ? value.map((one) => valueOf(item, one, types))
      : bad(`${type} must be a list`);
  const fields = types[type];
  if (fields !== undefined) {
    if (!isRecord(value)) return bad(`${type} must be an object`);
    return Object.fromEntries(fields.map((one) => [one.name, valueOf(one.type, value[one.name], types)]));
  }
  if (/^u?int/.test(type)) return amountOf(value, type) ?? bad(`${type} is missing`);
  if (type === 'address') return addressOf(value, type);
  if (type.startsWith('bytes')) return bytesOf(value, type);
  return value;
}
