import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checksumAddress } from '../../../../evm/address.ts';
import { checkAddress, isFault } from '../../../../rules/compile/signature.ts';
import type { Address } from '../../../../model/hex.ts';
import { shown } from '../../../wording/text.ts';
import { isRecord, itemsOf, type Fields } from '../../../../lib/shape.ts';
import { CliError } from '../../cliIo.ts';

/** The part of an ERC-7730 descriptor that rules can use. */
export interface Descriptor {
  readonly name: string;
  readonly url: string | null;
  /** On Ethereum mainnet, EIP-55 checksummed. */
  readonly addresses: readonly string[];
  readonly functions: readonly DescribedFunction[];
}

export interface DescribedFunction {
  /** As in Solidity, without the keyword. */
  readonly text: string;
  /** Words that a wallet shows its user. */
  readonly intent: string;
  /** Paths of the first amount and of its token (`order.amount`, `@.value`); null where none is shown. */
  readonly amount: string | null;
  readonly token: string | null;
}

/** A file includes one that may include another. */
const MAX_INCLUDES = 4;

/**
 * Reads a clear-signing descriptor with the files that it includes.
 * @throws CliError that names the file and says why it gives no rules
 */
export function readDescriptor(path: string): Descriptor {
  const whole = readIncluded(path);
  const { context, metadata, display } = whole;
  const refuse = (why: string): CliError => new CliError(`${path}: ${why}`);
  if (objectAt(context, 'eip712'))
    throw refuse('describes typed data that is signed (EIP-712), and no calls');
  const deployments = listAt(objectAt(context, 'contract'), 'deployments');
  const onMainnet = deployments.filter((one) => one['chainId'] === 1).map((one) => String(one['address']));
  if (onMainnet.length === 0) throw refuse('names no deployment on Ethereum mainnet (chain 1)');
  const formats = Object.entries(objectAt(display, 'formats') ?? {});
  if (formats.length === 0) throw refuse('describes no function');
  const definitions = objectAt(display, 'definitions') ?? {};
  const url = textAt(objectAt(metadata, 'info'), 'url');
  const names = ['owner', 'contractName'].map((key) => textAt(metadata, key) ?? '');
  return {
    name: shown(names.join(' ')).trim(),
    url: url?.startsWith('https://') ? shown(url) : null,
    addresses: onMainnet.map((text) => {
      const address = checksummed(text);
      if (address === null) throw refuse(`${text.slice(0, 80)} is no address with a right checksum`);
      return address;
    }),
    functions: formats.map(([text, format]) => described(text, format, definitions)),
  };
}

/** Registries list addresses in lower case too. */
function checksummed(text: string): string | null {
  const address = /^0x[0-9a-f]{40}$/.test(text) ? checksumAddress(text as Address) : text;
  return isFault(checkAddress(address)) ? null : address;
}

function described(text: string, format: unknown, definitions: Fields): DescribedFunction {
  const fields = flatFields(listAt(format, 'fields'), '', definitions);
  const shown = fields.find((field) => /^(?:tokenAmount|amount)$/.test(textAt(field, 'format') ?? ''));
  return {
    text,
    intent: textAt(format, 'intent') ?? '',
    amount: shown ? textAt(shown, 'path') : null,
    token: shown ? textAt(objectAt(shown, 'params'), 'tokenPath') : null,
  };
}

/** The fields with whole paths and with the definitions that they refer to. */
function flatFields(fields: readonly Fields[], within: string, definitions: Fields): Fields[] {
  return fields.flatMap((field) => {
    const [, name = ''] = /^\$\.display\.definitions\.(\w+)$/.exec(textAt(field, '$ref') ?? '') ?? [];
    const whole = merged(objectAt(definitions, name) ?? {}, field) as Fields;
    const path = within + (textAt(field, 'path') ?? '').replace(/^#\./, '');
    const inner = listAt(field, 'fields');
    return inner.length > 0 ? flatFields(inner, `${path}.`, definitions) : [{ ...whole, path }];
  });
}

function readIncluded(path: string, depth = 0): Fields {
  let own: unknown;
  try {
    own = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CliError(`${path}: ${error instanceof SyntaxError ? 'not JSON' : 'cannot be read'}`);
  }
  if (!isRecord(own)) throw new CliError(`${path}: no ERC-7730 descriptor`);
  const includes = textAt(own, 'includes');
  if (includes === null) return own;
  if (/^\w+:/.test(includes) || depth === MAX_INCLUDES)
    throw new CliError(`${path}: includes ${includes.slice(0, 80)}: save it beside, at most 4 deep`);
  return merged(readIncluded(join(dirname(path), includes), depth + 1), own) as Fields;
}

/** ERC-7730: a file's own words go before those of the file that it includes, fields by their path. */
function merged(below: unknown, above: unknown): unknown {
  if (Array.isArray(below) && Array.isArray(above)) {
    const at = (list: readonly unknown[], path: string | null): unknown =>
      path === null ? undefined : list.find((one) => textAt(one, 'path') === path);
    const left = below.filter((one) => textAt(one, 'path') !== null && !at(above, textAt(one, 'path')));
    return [...left, ...above.map((one) => merged(at(below, textAt(one, 'path')), one))];
  }
  if (!isRecord(below) || !isRecord(above)) return above;
  const entries = Object.entries(above).map(
    ([key, value]) => [key, Object.hasOwn(below, key) ? merged(below[key], value) : value] as const,
  );
  return { ...below, ...Object.fromEntries(entries) };
}

const valueAt = (from: unknown, key: string): unknown =>
  isRecord(from) && Object.hasOwn(from, key) ? from[key] : null;

function objectAt(from: unknown, key: string): Fields | null {
  const value = valueAt(from, key);
  return isRecord(value) ? value : null;
}

const listAt = (from: unknown, key: string): readonly Fields[] =>
  itemsOf(valueAt(from, key)).filter(isRecord);

function textAt(from: unknown, key: string): string | null {
  const value = valueAt(from, key);
  return typeof value === 'string' && value !== '' ? value : null;
}
