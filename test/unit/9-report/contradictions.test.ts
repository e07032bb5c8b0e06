// The report audits itself: what a proven verdict rests on must agree. Scenes are broken one statement at a time.
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { judge, read } from '../../../src/analyze.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { buildReport, type ReportInput } from '../../../src/stages/9-report/buildReport.ts';
import { asReported, whySuspected } from '../../../src/tools/cli/rules/explainTx.ts';
import { examineTx } from '../../../src/tools/cli/rules/loadTx.ts';
import { allRecordings } from '../../../src/tools/cli/rules/recordings.ts';
import { event, move, reportOf } from '../../support/madeUp.ts';
import type { Address } from '../../../src/model/hex.ts';

const OTHER: Address = `0x${'0e'.repeat(20)}`;
const RECORDINGS = join(import.meta.dirname, '../../recordings');
const scenes = new Map<string, ReportInput>();

beforeAll(async () => {
  const rulebook = loadRules();
  for (const { name, raw, context } of allRecordings([RECORDINGS])) {
    const scene = await judge(read(raw, context), context, rulebook);
    if (scene.verdict.status === 'Proven') scenes.set(name, scene);
  }
});

/** Status and confidence of the scene's report, and the contradiction that it tells. */
function auditOf(name: string, broken: (scene: ReportInput) => Partial<ReportInput>): (string | undefined)[] {
  const scene = scenes.get(name)!;
  const { status, confidence, caveats } = buildReport({ ...scene, ...broken(scene) }).classification;
  return [status, confidence, caveats!.find(({ code }) => code === 'contradiction')?.text];
}

const positionsWith = (
  { economics }: ReportInput,
  over: (one: ReportInput['economics']['positions'][number]) => object,
): Partial<ReportInput> => ({
  economics: { ...economics, positions: economics.positions.map((one) => ({ ...one, ...over(one) })) },
});

describe('a contradiction', () => {
  it('is in no recorded report', () => {
    expect(scenes.size).toBeGreaterThan(70);
    for (const name of scenes.keys()) expect([name, ...auditOf(name, () => ({}))]).toContain(undefined);
  });

  it('of owners makes the verdict Suspected and names both', () => {
    const [signer] = [scenes.get('aave-supply')!.tx.from];
    const found = auditOf('aave-supply', (scene) => positionsWith(scene, () => ({ owner: OTHER })));
    expect(found.slice(0, 2)).toEqual(['Suspected', 'Medium']);
    expect(found[2]?.toLowerCase()).toBe(
      `the headline is of a position of ${signer.slice(0, 6)}…${signer.slice(-4)}, its act of one of 0x0e0e…0e0e.`,
    );
  });

  it('of amounts names the stated and the moved', () => {
    const doubled = ({ verdict }: ReportInput): Partial<ReportInput> => {
      const stated = verdict.stated.map((one) => ({ ...one, amount: one.amount * 2n }));
      return { verdict: { ...verdict, stated } };
    };
    expect(auditOf('aave-supply', doubled)).toEqual([
      'Suspected',
      'Medium',
      'The headline states 20 ETH, what moved is 10 ETH.',
    ]);
    const found = [...scenes.keys()].filter((name) => auditOf(name, doubled)[2] !== undefined);
    // Trades, loans, deposits, stakes and liquidity alike.
    expect(found.length).toBeGreaterThan(25);
  });

  it('of assets is one where the act moved another of the owner', () => {
    const dai = 'eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f' as const;
    const found = auditOf('aave-supply', (scene) =>
      positionsWith(scene, ({ parts }) => ({ parts: parts.map((part) => ({ ...part, asset: dai })) })),
    );
    expect(found[2]).toBe('The position is told in 0x6B17…1d0F, its owner moved WETH.');
  });

  it('of the way of an allowance is one, and what the owner never asked for is none', () => {
    const turned = ({ flow }: ReportInput): Partial<ReportInput> => ({
      flow: { ...flow, allowances: flow.allowances.map((one) => ({ ...one, kind: 'revoked', amount: 7n })) },
    });
    expect(auditOf('approval', turned)[2]).toBe('An allowance is told as revoked, and went from more to 7.');
    const log = scenes.get('approval')!.flow.allowances[0]!.evidence.log!;
    const unasked = (scene: ReportInput): Partial<ReportInput> => ({
      ...turned(scene),
      suspects: { ...scene.suspects!, allowances: new Set([log]) },
    });
    expect(auditOf('approval', unasked)[2]).toBeUndefined();
  });
});

it('junk that a stranger adds makes no report contradict itself', async () => {
  const AAVE = '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2';
  const supplied = (reserve: string, pool: string, amount: string): ReturnType<typeof event> =>
    event(
      'Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode)',
      pool,
      [reserve, 'actor', 'actor', amount, 0],
    );
  const made = (junk: Parameters<typeof reportOf>[0]['steps']): ReturnType<typeof reportOf> =>
    reportOf({
      to: AAVE,
      call: 'supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
      args: ['TOK', '9e18', 'actor', 0],
      steps: [
        ...junk!,
        move('9e18', 'TOK', 'actor', 'reserve'),
        move('9e18', 'aTOK', 'zero', 'actor'),
        supplied('TOK', AAVE, '9e18'),
        ...junk!,
      ],
    });
  const words = [
    supplied('JUNK', 'stranger', '7e30'),
    event(
      'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
      'stranger',
      ['stranger', 'actor', '3e18', '3e18'],
    ),
    event('Approval(address indexed owner, address indexed spender, uint256 value)', 'JUNK', [
      'actor',
      'stranger',
      '5',
    ]),
    event('Staked(address indexed user, uint256 amount)', 'stranger', ['actor', '9e18']),
  ];
  const worded = (await made(words)).report.classification;
  expect(worded).toMatchObject({ intent_kind: 'Supply', status: 'Proven', caveats: [] });
  // Gifts are value that the supply does not account for, and no contradiction.
  const gifts = [move('5e30', 'JUNK', 'stranger', 'actor'), move('1e3', 'TOK', 'stranger', 'actor')];
  const given = (await made([...words, ...gifts])).report.classification;
  expect(given.intent_kind).toBe('Supply');
  expect(given.caveats!.map(({ code }) => code)).not.toContain('contradiction');
});

it('is among the reasons of `rules explain`', async () => {
  const rulebook = loadRules();
  const recording = allRecordings([RECORDINGS]).find(({ name }) => name === 'aave-supply')!;
  const examined = await examineTx(recording, rulebook);
  const { account, explained } = examined.reading;
  const stated = explained.verdict.stated.map((one) => ({ ...one, amount: one.amount * 2n }));
  const broken = { account, explained: { ...explained, verdict: { ...explained.verdict, stated } } };
  expect(whySuspected(asReported(examined, broken, rulebook))).toBe(
    'Suspected because the headline states 20 ETH, what moved is 10 ETH.',
  );
  expect(asReported(examined, examined.reading, rulebook).verdict.status).toBe('Proven');
});
