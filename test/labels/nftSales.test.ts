// NFT sales as another program finds them in whole blocks: buyer, seller, what the seller got, and the fees beside it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { examine, read } from '../../src/analyze.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { allRecordings } from '../../src/tools/cli/rules/recordings.ts';
import { mergeNative, NATIVE_ASSET } from '../../src/value/asset.ts';
import { corpus, REPLAY_AVAILABLE, warnIfAbsent } from '../support/replayNode.ts';

const VERDICTS = join(corpus('.'), '../eval/mev-verdicts.ndjson.gz');
warnIfAbsent('NFT sales of whole blocks');

interface Sale {
  readonly kind: string;
  readonly tx: string;
  readonly seller: string;
  readonly buyer: string;
  readonly collection: string;
  readonly token_id: string;
  readonly payment_amount: string;
}

const sales = (): Sale[] =>
  gunzipSync(readFileSync(VERDICTS))
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Sale)
    .filter(({ kind }) => kind === 'nft_trade');

it.skipIf(!REPLAY_AVAILABLE || !existsSync(VERDICTS))(
  'every sale has its parties, the receipt and the fees, to the wei',
  () => {
    const rulebook = loadRules();
    const byHash = new Map(
      allRecordings([corpus('mev-blocks.ndjson.gz')]).map((one) => [one.raw.hash as string, one]),
    );
    const wrong: string[] = [];
    let equal = 0;
    for (const sale of sales()) {
      const { raw, context } = byHash.get(sale.tx)!;
      const { tx, motifs, flow } = examine(read(raw, context), context, rulebook);
      // One of them failed: nothing was sold.
      if (!tx.succeeded) {
        expect(motifs).toEqual([]);
        continue;
      }
      const told = motifs.find(
        ({ kind, assetsIn }) =>
          kind === 'nft_trade' && assetsIn.some(({ asset }) => asset.endsWith(`/${sale.token_id}`)),
      );
      const party = (role: string) => told?.participants.find((one) => one.role === role)?.account;
      const paid = (of: string): bigint =>
        (told?.assetsOut ?? [])
          .filter(({ asset, role }) => role === of && mergeNative(asset, rulebook) === NATIVE_ASSET)
          .reduce((sum, { amount }) => sum + amount, 0n);
      const ends = flow.movements.filter((m) => m.asset.endsWith(`/${sale.token_id}`));
      // A bid in a token is paid whole, and the seller pays the fee of it.
      const own = (told?.movements ?? []).map((index) => flow.movements[index]!);
      const ceded = own
        .filter(({ from, asset }) => from === party('seller') && !asset.endsWith(`/${sale.token_id}`))
        .reduce((sum, { amount }) => sum + amount, 0n);
      const seen = [told?.status, party('seller'), ends.at(-1)?.to, String(paid('in') - ceded)];
      const expected = ['Proven', sale.seller, sale.buyer, sale.payment_amount];
      if (JSON.stringify(seen) !== JSON.stringify(expected)) wrong.push(`${sale.tx} ${seen} not ${expected}`);
      else equal++;
      // What the buyer paid besides is the fee.
      const buyer = party('buyer');
      const given = flow.movements
        .filter(({ from, asset }) => from === buyer && asset === NATIVE_ASSET)
        .reduce((sum, { amount }) => sum + amount, 0n);
      const back = flow.movements
        .filter(({ to, asset }) => to === buyer && asset === NATIVE_ASSET)
        .reduce((sum, { amount }) => sum + amount, 0n);
      if (given > 0n && given - back !== paid('in') + paid('fee'))
        wrong.push(`${sale.tx} paid ${given - back}, told ${paid('in')} and a fee of ${paid('fee')}`);
    }
    expect(wrong).toEqual([]);
    expect(equal).toBe(71);
  },
);
