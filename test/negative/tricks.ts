// The contracts of Tricks.sol.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';
import type { Contract } from '../devnet/compile.ts';

type Compiled = Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>;

export function tricks(): { Boaster: Contract; LoudWeth: Contract } {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const content = readFileSync(new URL('Tricks.sol', import.meta.url), 'utf8');
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'Tricks.sol': { content } },
        settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
      }),
    ),
  ) as { errors?: { severity: string; formattedMessage: string }[]; contracts: Record<string, Compiled> };
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join('\n'));
  const of = (name: string): Contract => ({
    abi: output.contracts['Tricks.sol']![name]!.abi,
    bytecode: `0x${output.contracts['Tricks.sol']![name]!.evm.bytecode.object}` as Hex,
  });
  return { Boaster: of('Boaster'), LoudWeth: of('LoudWeth') };
}
