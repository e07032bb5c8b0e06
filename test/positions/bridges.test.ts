import { keccak256, stringToBytes, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { analyzeRaw } from '../../src/analyze.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { allRecordings } from '../../src/tools/cli/rules/recordings.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { CORPUS, hasCorpus, readCorpus } from '../unit/3-flow/corpus.ts';

interface RawLog {
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly logIndex: Hex;
}

type AmountOf = (word: (at: number) => bigint, packed: (byte: number) => bigint) => readonly bigint[];

const at =
  (...places: number[]): AmountOf =>
  (word) =>
    places.map(word);

/**
 * Where the events of bridges state what was bridged, from their published sources: words of the data, or bytes of
 * packed data. Independent of `rules/`.
 */
const STATED: Readonly<Record<string, AmountOf>> = {
  'FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)':
    at(2),
  'FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))':
    at(3),
  'WithdrawalFinalized(address,address,address,uint256,uint256)': at(1),
  'TransactionDeposited(address,address,uint256,bytes)': (_, packed) => [packed(64)],
  'ERC20DepositInitiated(address,address,address,address,uint256,bytes)': at(1),
  'ERC20WithdrawalFinalized(address,address,address,address,uint256,bytes)': at(1),
  'TokensBridged(address,address,uint256,bytes32)': at(0),
  'LockedEther(address,address,uint256)': at(0),
  'NewDepositBlock(address,address,uint256,uint256)': at(0),
  'LockedERC20(address,address,address,uint256)': at(0),
  'Withdraw(uint256,address,address,uint256)': at(0),
  'ExitedERC20(address,address,uint256)': at(0),
  'DepositERC20(address,address,address,address,uint256,bytes)': at(1),
  'FinalizeWithdrawERC20(address,address,address,address,uint256,bytes)': at(1),
  'ETHWithdrawalFinalized(address,address,uint256,bytes)': at(0),
  'ETHDepositInitiated(address,address,uint256,bytes)': at(0),
  'DepositInitiated(address,address,address,uint256,uint256)': at(1),
  'OFTSent(bytes32,uint32,address,uint256,uint256)': at(1),
  'UserRequestForAffirmation(address,uint256,bytes32)': at(1),
  'RelayedMessage(address,uint256,bytes32)': at(1),
  'Withdrawal(address,uint16,uint128)': at(0),
  'Withdrawal(uint16,uint128)': at(0),
  'BridgeCallTriggered(address,address,uint256,bytes)': at(0),
  'LogDeposit(address,uint256,uint256,uint256,uint256)': at(0),
  'LogAnySwapIn(bytes32,address,address,uint256,uint256,uint256)': at(0),
  'Swap(uint16,uint256,address,uint256,uint256,uint256,uint256,uint256)': at(3),
  // A plain deposit packs 20 bytes of recipient before the amount, a ticket a word.
  'InboxMessageDelivered(uint256,bytes)': (_, packed) => [packed(64 + 20), packed(64 + 32)],
  // Its bytes hold account (4), token (2) and amount (16).
  'NewPriorityRequest(address,uint64,uint8,bytes,uint256)': (_, packed) => [packed(192 + 6) >> 128n],
  // The request is a tuple at the offset in the fourth word; its tenth field is the value.
  'NewPriorityRequest(uint256,bytes32,uint64,(uint256,uint256,uint256,uint256,uint256,uint256,uint256,uint256,uint256,uint256,uint256[4],bytes,bytes,uint256[],bytes,bytes),bytes[])':
    (word, packed) => [packed(Number(word(3)) + 9 * 32)],
  // The message's fourth field is a list of token and amount.
  'MessageReceived(uint256,uint256,address,address,(uint256,address,address,(address,uint256)[],(string,string,uint8)[],bytes,uint256),bool)':
    (word, packed) => {
      const message = Number(word(1));
      const list = message + Number(packed(message + 3 * 32));
      return Array.from({ length: Number(packed(list)) }, (_, i) => packed(list + 64 + i * 64));
    },
  // The data holds the indexer on the other chain before the tokens; the other three accounts are topics.
  'DelegationTransferredToL2(address,address,address,address,uint256)': at(1),
  'IndexerStakeTransferredToL2(address,address,uint256)': at(0),
  // What the recipient got and the bonder's fee are both stated only by the call: see `unstated`.
  'WithdrawalBonded(bytes32,uint256)': at(),
  'WithdrawalFinalized(bytes32,bool)': at(),
};
const BY_TOPIC = new Map(
  Object.entries(STATED).map(([text, read]) => [keccak256(stringToBytes(text)), read]),
);
const TRANSFER = keccak256(stringToBytes('Transfer(address,address,uint256)'));

const isBridge = ({ kind, protocol }: TxReport['motifs'][number]): boolean =>
  (kind === 'bridge_deposit' || kind === 'bridge_withdrawal') && protocol !== null;

/** Bridge acts whose principal is not what their event states, and events this table does not know. */
function strays(
  report: TxReport,
  logs: readonly RawLog[],
): { readonly checked: number; readonly wrong: string[] } {
  const wrong: string[] = [];
  let checked = 0;
  for (const motif of report.motifs.filter(isBridge)) {
    const events = motif.evidence
      .map(({ log_index }) => logs.find((log) => log_index !== null && Number(log.logIndex) === log_index))
      .filter((log) => log !== undefined && log.topics[0] !== TRANSFER) as RawLog[];
    const principal = report.position_effects
      .filter(({ motif_ids }) => motif_ids.includes(motif.id))
      .flatMap(({ underlying }) => underlying.filter(({ role }) => role === 'principal'))
      .map(({ delta_raw }) => (delta_raw.startsWith('-') ? -BigInt(delta_raw) : BigInt(delta_raw)));
    for (const { topics, data } of events) {
      const read = BY_TOPIC.get(topics[0]!);
      const packed = (byte: number): bigint => BigInt(`0x0${data.slice(2 + byte * 2, 2 + (byte + 32) * 2)}`);
      const stated = read?.((place) => packed(place * 32), packed);
      if (stated === undefined) wrong.push(`${report.tx.hash}: ${topics[0]} is not in the table`);
      else if (stated.length > 0) {
        checked++;
        if (principal.length === 0 || !principal.every((amount) => stated.includes(amount)))
          wrong.push(
            `${report.tx.hash} ${motif.kind}: ${principal.join()} instead of ${stated.join(' or ')}`,
          );
      }
    }
  }
  return { checked, wrong };
}

const rulebook = loadRules();

describe('what was bridged is what the bridge states', () => {
  it('in our own recordings', async () => {
    for (const { raw, context } of allRecordings()) {
      const { logs } = raw.receipt as { logs: readonly RawLog[] };
      expect(strays(await analyzeRaw(raw, context, rulebook), logs).wrong).toEqual([]);
    }
  });

  it.skipIf(!hasCorpus)('in every recorded mainnet transaction', async () => {
    const topics = [...rulebook.events.values()]
      .filter(({ mappings }) => mappings.some(({ kind }) => kind.startsWith('bridge_')))
      .map(({ topic0 }) => topic0);
    const found = { checked: 0, wrong: [] as string[] };
    for (const { hash, rpc } of CORPUS.flatMap(readCorpus)) {
      const { logs } = rpc.receipt as { logs: readonly RawLog[] };
      if (!logs.some(({ topics: [topic] }) => topics.includes(topic!))) continue;
      const report = await analyzeRaw(
        { hash, tx: rpc.tx, receipt: rpc.receipt, trace: { dialect: 'call_tracer', result: rpc.callTracer } },
        { block: rpc.block, tokens: new Map(), prices: [], rates: [], refusals: [], delegations: new Map() },
        rulebook,
      );
      const { checked, wrong } = strays(report, logs);
      found.checked += checked;
      found.wrong.push(...wrong);
    }
    expect(found.wrong).toEqual([]);
    expect(found.checked).toBeGreaterThan(80);
  });
});
