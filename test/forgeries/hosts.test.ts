// A stranger submits an account's real act together with movements of its own tokens: the act's verdict must not change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import { HOSTS, startHosts, type Hosts } from './hosts.ts';
import { call, event, startStage, type Stage, type Step } from './stage.ts';

let stage: Stage;
let at: Hosts;
let plain: Address, other: Address, mask: Address;

beforeAll(async () => {
  stage = await startStage();
  at = await startHosts(stage);
  ({ mask } = at);
  plain = await stage.forger('Plain', 'PLAIN');
  other = await stage.forger('Other', 'OTHER');
});
afterAll(() => stage?.stop());

const FRIEND = addressOf('bob');
const MILLION = 1_000_000_000_000n;
const TRANSFER = 'Transfer(address indexed from, address indexed to, uint256 value)';

const pull = (token: Address, from: Address, to: Address): Step =>
  call(token, fn('transferFrom(address,address,uint256)', [from, to, MILLION]));
const shout = (token: Address, from: Address, to: Address): Step =>
  call(token, fnOf(stage.abi, 'play', [[event(TRANSFER, from, MILLION, { from, to, value: MILLION })]]));
const swapped = (): Step =>
  event(
    'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    mask,
    0n,
    { amount0In: MILLION, amount1Out: MILLION },
  );

/** Movements and events the stranger adds in the name of an account. */
const additions: Record<string, (victim: Address) => Step[]> = {
  'a payment that its token makes': (victim) => [pull(plain, victim, FRIEND)],
  'a payment that its token only logs': (victim) => [shout(plain, victim, FRIEND)],
  'an approval and a payment': (victim) => [
    call(
      plain,
      fnOf(stage.abi, 'play', [
        [event(APPROVAL, victim, MILLION), event(TRANSFER, victim, MILLION, { to: FRIEND })],
      ]),
    ),
  ],
  'a trade at a contract that speaks as a pool': (victim) => [
    pull(plain, victim, mask),
    pull(other, mask, victim),
    call(mask, fnOf(stage.abi, 'play', [[swapped()]])),
  ],
  'what an allowance of old lets it take': (victim) => [
    call(MAINNET.usdc, fn('transferFrom(address,address,uint256)', [victim, FRIEND, 3_000_007n])),
  ],
  'a gift': (victim) => [pull(other, mask, victim)],
};
const APPROVAL = 'Approval(address indexed owner, address indexed spender, uint256 value)';

for (const hostName of HOSTS)
  describe(hostName, () => {
    for (const [name, added] of Object.entries(additions))
      it(`with ${name}`, async () => {
        const host = at.hosts[hostName]!;
        const victim = host.victim();
        if (name.includes('allowance of old')) await at.allow(victim);
        const report = await host.run(added(victim));
        const { classification: said, movements } = report;
        if (process.env['SHOW'])
          console.log(
            hostName,
            '|',
            name,
            '|',
            said.intent_kind,
            said.status,
            said.confidence,
            said.intent_label,
            report.attribution.ground,
            said.actor === victim ? 'VICTIM' : said.actor,
            JSON.stringify(said.caveats?.map((c) => c.code)),
            'flags',
            movements!.map(({ flags }) => flags?.[0] ?? '-').join(' '),
          );
        const forged = said.status === 'Proven' && said.actor === victim;
        expect(
          forged && (name.includes('allowance of old') || /PLAIN|OTHER/.test(said.intent_label)),
          JSON.stringify(said),
        ).toBe(false);
      });
  });
