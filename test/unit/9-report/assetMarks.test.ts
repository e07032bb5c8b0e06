import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toEventSelector } from 'viem';
import { loadRules } from '../../../src/loadRules.ts';
import { examine, read } from '../../../src/analyze.ts';
import { findRecording } from '../../../src/cli/rules/recordings.ts';
import { SHARE_TOPICS } from '../../../src/lib/shareTopics.ts';
import { assetMarks } from '../../../src/stages/9-report/assetMarks.ts';

const FOLDER = join(import.meta.dirname, '../../recordings');
const rulebook = loadRules();

function marksOf(name: string): string[] {
  const { raw, context } = findRecording(name, [FOLDER]);
  const { tx, flow } = examine(read(raw, context), context, rulebook);
  return [...assetMarks(tx, flow).values()].flatMap((marks) => [...marks]);
}

describe('what a transaction shows about its tokens', () => {
  it.each([
    ['fee-on-transfer', ['fee_on_transfer']], ['swap-fee-on-transfer', ['fee_on_transfer']],
    ['rebase-transfer', ['rebasing']], ['liquid-stake', ['rebasing']], ['aave-supply', ['rebasing']],
    ['token-transfer', []], ['batch-token', []], ['swap-v2-eth-usdc', []], ['vault-deposit', []], ['permit-relayed', []], ['swap-split', []],
  ])('%s: %j', (name, marks) => expect(marksOf(name)).toEqual(marks));

  it('knows the events by their signatures', () => {
    const signatures = ['TransferShares(address,address,uint256)', 'BalanceTransfer(address,address,uint256,uint256)', 'Mint(address,address,uint256,uint256,uint256)', 'Burn(address,address,uint256,uint256,uint256)'];
    expect([...SHARE_TOPICS]).toEqual(signatures.map((signature) => toEventSelector(signature)));
  });
});
