import { existsSync } from 'node:fs';
import { parseJson } from '../../lib/json.ts';
import { isRecord } from '../../lib/shape.ts';
import { CliError } from '../cli/cliIo.ts';
import { readText } from './ledgerFiles.ts';
import type { Asset } from '../../model/generated/report.ts';

/** Placeholders for assets that a program does not know, each asset with one for good. */
export type CurrencyMap = ReturnType<typeof readCurrencyMap>;

interface Held {
  readonly asset_id: string;
  readonly decimals: number | null;
  readonly symbol: string | null;
}

/**
 * Placeholders by the file of an earlier ledger; none without it.
 * @throws CliError for a file that is not such a map
 */
export function readCurrencyMap(file: string | undefined) {
  const held = new Map<string, Held>(file !== undefined && existsSync(file) ? entriesOf(file) : []);
  const keyOf = ({ asset_id: id, decimals }: Held): string => `${id} ${decimals}`;
  const known = new Map([...held].map(([name, entry]) => [keyOf(entry), name]));
  return {
    /** The asset's own, else the word with the next free number. */
    placeholder(word: string, { id, decimals, symbol }: Asset): string {
      const entry = { asset_id: id, decimals, symbol };
      const found = known.get(keyOf(entry));
      if (found !== undefined) return found;
      let number = 1;
      while (held.has(`${word}${number}`)) number++;
      const name = `${word}${number}`;
      held.set(name, entry);
      known.set(keyOf(entry), name);
      return name;
    },
    size: () => held.size,
    /** The file that later ledgers read. */
    text: () => `${JSON.stringify(Object.fromEntries(held), null, 2)}\n`,
  };
}

function entriesOf(file: string): [string, Held][] {
  const map = parseJson(readText(file));
  const entries = Object.entries(isRecord(map) ? map : { '': null }) as [string, Held | null][];
  const wrong = entries.find(
    ([name, held]) => !/^[A-Z]+[1-9]\d*$/.test(name) || typeof held?.asset_id !== 'string',
  );
  if (wrong) throw new CliError(`${file} is no map of currencies: ${wrong[0].slice(0, 60)}`);
  return entries as [string, Held][];
}
