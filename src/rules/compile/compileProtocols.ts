import type { Address, Hash } from '../../model/hex.ts';
import type { ProtocolSpec } from '../../model/rulebook.ts';
import { checkAddress } from './addresses.ts';
import { isFault } from './bindExpr.ts';
import { frozenSet } from './freeze.ts';
import type { RawProtocol, RawShape } from '../read/rawRules.ts';
import type { ProblemSink, RuleItem } from './ruleItem.ts';

/** Reads an address at a place of a file, complaining about its form or checksum. */
export function readRuleAddress(
  item: RuleItem,
  path: readonly (string | number)[],
  text: string,
  sink: ProblemSink,
): Address | null {
  const result = checkAddress(text);
  if (!isFault(result)) return result.address;
  sink.add(item, path, result.code, result.message);
  return null;
}

/** Compiles protocols, and tells for each shape who speaks it (in slug order). */
export function compileProtocols(
  items: readonly RuleItem<RawProtocol>[],
  shapes: readonly RuleItem<RawShape>[],
  knownShapes: ReadonlySet<string>,
  sink: ProblemSink,
): { protocols: ProtocolSpec[]; speakers: Map<string, ProtocolSpec[]> } {
  const protocols: ProtocolSpec[] = [];
  const speakers = new Map<string, ProtocolSpec[]>();
  const anyEmitter = new Set(shapes.filter((s) => s.value.any_emitter).map((s) => s.value.slug));
  const claimed = new Map<string, string>();

  for (const item of items) {
    const raw = item.value;
    const addresses = new Set<Address>();
    for (const [i, text] of (raw.addresses ?? []).entries()) {
      const address = readRuleAddress(item, ['addresses', i], text, sink);
      if (address === null) continue;
      if (addresses.has(address)) sink.add(item, ['addresses', i], 'duplicate_address', text);
      addresses.add(address);
      for (const shape of raw.shapes) {
        const other = claimed.get(`${address} ${shape}`);
        if (other !== undefined && other !== raw.slug)
          sink.add(item, ['addresses', i], 'duplicate_address', `${other} claims it for ${shape} too`);
        claimed.set(`${address} ${shape}`, raw.slug);
      }
    }
    const spec: ProtocolSpec = {
      slug: raw.slug,
      version: raw.version,
      name: raw.name,
      status: raw.status,
      addresses: frozenSet(addresses),
      create2: readCreate2(item, sink),
    };
    for (const [i, shape] of raw.shapes.entries()) {
      if (!knownShapes.has(shape)) sink.add(item, ['shapes', i], 'unknown_shape', shape);
      else speakers.set(shape, [...(speakers.get(shape) ?? []), spec]);
    }
    const shapesKnownValid = raw.shapes.every((s) => shapes.some((item) => item.value.slug === s));
    if (
      addresses.size === 0 &&
      !raw.addresses &&
      !raw.create2 &&
      shapesKnownValid &&
      !raw.shapes.some((s) => anyEmitter.has(s))
    ) {
      sink.add(item, ['slug'], 'protocol_without_emitter', raw.slug);
    }
    protocols.push(spec);
  }
  return { protocols, speakers };
}

function readCreate2(item: RuleItem<RawProtocol>, sink: ProblemSink): ProtocolSpec['create2'] {
  const raw = item.value.create2;
  if (raw === undefined) return null;
  const deployer = readRuleAddress(item, ['create2', 'deployer'], raw.deployer, sink);
  if ((raw.salt === 'abi_fee') !== (raw.fees !== undefined))
    sink.add(item, ['create2', 'salt'], 'bad_create2', raw.salt);
  return (
    deployer && { deployer, initCodeHash: raw.init_code_hash as Hash, salt: raw.salt, fees: raw.fees ?? [] }
  );
}
