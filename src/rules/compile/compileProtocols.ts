import type { Address, Hash } from '../../model/hex.ts';
import type { ProtocolSpec } from '../../model/rulebook.ts';
import { checkAddress } from './addresses.ts';
import { isFault } from './bindExpr.ts';
import { frozenSet } from './freeze.ts';
import type { RawProtocol, RawShape } from '../read/rawRules.ts';
import { didYouMean } from './didYouMean.ts';
import { Spot, type ProblemSink, type RuleItem } from './ruleItem.ts';

/** Reads an address at a place of a file, reporting its form or checksum. */
export function readRuleAddress(spot: Spot, text: string): Address | null {
  const result = checkAddress(text);
  if (!isFault(result)) return result.address;
  spot.report(result.code, result.message);
  return null;
}

/** Compiles protocols; `speakers` are those of each shape, in slug order. */
export function compileProtocols(
  items: readonly RuleItem<RawProtocol>[],
  shapes: readonly RuleItem<RawShape>[],
  knownShapes: ReadonlySet<string>,
  sink: ProblemSink,
): { protocols: ProtocolSpec[]; speakers: Map<string, ProtocolSpec[]> } {
  const protocols: ProtocolSpec[] = [];
  const speakers = new Map<string, ProtocolSpec[]>();
  const anyEmitter = new Set(shapes.filter((s) => s.value.any_emitter).map((s) => s.value.slug));
  const inForce = new Set(shapes.map((s) => s.value.slug));
  const claimed = new Map<string, string>();

  for (const item of items) {
    const raw = item.value;
    const spot = new Spot(item, sink);
    const spec: ProtocolSpec = {
      slug: raw.slug,
      version: raw.version,
      name: raw.name,
      status: raw.status,
      addresses: frozenSet(readAddresses(spot, raw, claimed)),
      create2: readCreate2(spot, raw),
    };
    for (const [i, shape] of raw.shapes.entries()) {
      if (!knownShapes.has(shape))
        spot.at('shapes', i).report('unknown_shape', didYouMean(shape, knownShapes));
      else speakers.set(shape, [...(speakers.get(shape) ?? []), spec]);
    }
    const emits = raw.addresses !== undefined || raw.create2 !== undefined;
    if (!emits && raw.shapes.every((s) => inForce.has(s)) && !raw.shapes.some((s) => anyEmitter.has(s)))
      spot.at('slug').report('protocol_without_emitter', raw.slug);
    protocols.push(spec);
  }
  return { protocols, speakers };
}

/** `claimed`: which protocol has an address for a shape, under `<address> <shape>`, and its name, under the address. */
function readAddresses(spot: Spot, raw: RawProtocol, claimed: Map<string, string>): Set<Address> {
  const addresses = new Set<Address>();
  for (const [i, text] of (raw.addresses ?? []).entries()) {
    const here = spot.at('addresses', i);
    const address = readRuleAddress(here, text);
    if (address === null) continue;
    if (addresses.has(address)) here.report('duplicate_address', text);
    addresses.add(address);
    const owner = claimed.get(address);
    if (owner !== undefined && owner !== raw.name)
      here.report('foreign_address', `it is an address of ${owner}`);
    else claimed.set(address, raw.name);
    for (const shape of raw.shapes) {
      const other = claimed.get(`${address} ${shape}`);
      if (other !== undefined && other !== raw.slug)
        here.report('duplicate_address', `${other} claims it for ${shape} too`);
      claimed.set(`${address} ${shape}`, raw.slug);
    }
  }
  return addresses;
}

function readCreate2(spot: Spot, { create2: raw }: RawProtocol): ProtocolSpec['create2'] {
  if (raw === undefined) return null;
  const deployer = readRuleAddress(spot.at('create2', 'deployer'), raw.deployer);
  if ((raw.salt === 'abi_fee') !== (raw.fees !== undefined))
    spot.at('create2', 'salt').report('bad_create2', raw.salt);
  return (
    deployer && { deployer, initCodeHash: raw.init_code_hash as Hash, salt: raw.salt, fees: raw.fees ?? [] }
  );
}
