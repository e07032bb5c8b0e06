// Answers that agree with each other and still cannot be: the same false amount, account or event in all of them, so that
// they pass the cross-checks and reach the stages behind.
import type { Random } from './random.ts';
import type { Recorded } from './recordedNode.ts';

const ZEROS = '0'.repeat(512);

/** Words of event data and topics other than the event's own, and accounts, as they stand in the answers. */
function partsOf({ receipt, callTracer }: Recorded['rpc']): {
  words: string[];
  accounts: string[];
  topics: string[];
} {
  const words = new Set<string>();
  const accounts = new Set<string>();
  const topics = new Set<string>();
  for (const log of receipt['logs'] as { address: string; topics: string[]; data: string }[]) {
    accounts.add(log.address.slice(2));
    if (log.topics[0]) topics.add(log.topics[0].slice(2));
    for (const topic of log.topics.slice(1)) words.add(topic.slice(2));
    for (let i = 2; i + 64 <= log.data.length && words.size < 200; i += 64)
      words.add(log.data.slice(i, i + 64));
  }
  const open = [callTracer];
  for (let frame = open.pop(); frame && accounts.size < 200; frame = open.pop()) {
    for (const end of ['from', 'to'])
      if (typeof frame[end] === 'string') accounts.add((frame[end] as string).slice(2));
    open.push(...((frame['calls'] as typeof open | undefined) ?? []));
  }
  return { words: [...words], accounts: [...accounts], topics: [...topics] };
}

/** Some hundred event signatures from the recordings, as strangers to the transaction at hand. */
export function topicsOf(recordings: readonly Recorded[]): string[] {
  return [...new Set(recordings.flatMap(({ rpc }) => partsOf(rpc).topics))];
}

const ODD_ACCOUNTS = [
  '0'.repeat(40),
  '0'.repeat(39) + '1',
  '0'.repeat(39) + '4',
  `${'f'.repeat(39)}e`,
  'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  `${'0'.repeat(38)}ff`,
];

/** One or more consistent falsehoods. */
export function lie(
  recorded: Recorded,
  random: Random,
  strangers: readonly string[],
): { recorded: Recorded; how: string[] } {
  const { words, accounts, topics } = partsOf(recorded.rpc);
  let text = JSON.stringify(recorded.rpc);
  const how: string[] = [];
  const everywhere = (name: string, from: string, to: string): void => {
    text = text.replaceAll(from, to);
    how.push(name);
  };
  const word = (): string =>
    random.pick<() => string>([
      () => random.amount().toString(16).padStart(64, '0'),
      () => '0'.repeat(64),
      () => 'f'.repeat(64),
      () => random.pick(accounts).padStart(64, '0'),
      () => random.pick(words),
      () => '8'.padEnd(64, '0'),
    ])();
  for (let n = 1 + random.below(3); n > 0; n--) {
    random.pick<() => void>([
      () => {
        if (words.length > 0) everywhere('amount', random.pick(words), word());
      },
      () => everywhere('account', random.pick(accounts), random.pick(accounts)),
      () => everywhere('odd account', random.pick(accounts), random.pick(ODD_ACCOUNTS)),
      () => {
        if (topics.length > 0) everywhere('event', random.pick(topics), random.pick(strangers));
      },
      () => {
        text = text.replace(/"value":"0x[0-9a-f]+"/g, (found) =>
          random.chance(0.3) ? `"value":"0x${random.amount().toString(16)}"` : found,
        );
        how.push('values');
      },
    ])();
  }
  const rpc = JSON.parse(text) as Recorded['rpc'];
  // Archives that drop blooms answer zeros: the one filter that would notice.
  rpc.receipt['logsBloom'] = `0x${ZEROS}`;
  if (random.chance(0.5)) for (const frame of framesOf(rpc.callTracer)) delete frame['logs'];
  if (random.chance(0.15) && Array.isArray(rpc.receipt['logs']))
    rpc.receipt['logs'] = shuffled(rpc.receipt['logs'] as object[], random);
  if (random.chance(0.1))
    for (const log of rpc.receipt['logs'] as { topics: string[] }[])
      if (random.chance(0.3)) log.topics = log.topics.slice(0, random.below(5));
  return { recorded: { ...recorded, rpc }, how };
}

function framesOf(root: Recorded['rpc']['callTracer']): Recorded['rpc']['callTracer'][] {
  const found = [];
  const open = [root];
  for (let frame = open.pop(); frame; frame = open.pop()) {
    found.push(frame);
    open.push(...((frame['calls'] as typeof open | undefined) ?? []));
  }
  return found;
}

function shuffled(list: readonly object[], random: Random): object[] {
  const places = list.map((log) => ({ log, key: random.next() })).sort((a, b) => a.key - b.key);
  return places.map(({ log }, i) => ({ ...log, logIndex: `0x${i.toString(16)}` }));
}
