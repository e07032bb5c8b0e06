import type { Address, Hash, Hex } from '../../model/hex.ts';
import type { CreationSpec, RegistrySpec } from '../../model/membership.ts';
import type { ProtocolSpec } from '../../model/rulebook.ts';
import { checkAddress, parseSignature } from './signature.ts';
import type { RawProtocol, RawShape } from '../../model/generated/rules.ts';
import { addTo } from '../../lib/lists.ts';
import { Spot, type RuleItem } from './ruleItem.ts';

/** Reads an address at a place of a file, reporting its form or checksum. */
export function readRuleAddress(spot: Spot, text: string): Address | null {
  return spot.take(checkAddress(text))?.address ?? null;
}

/** Those of a list that can be read. */
export function readRuleAddresses(spot: Spot, list: readonly string[] = []): Address[] {
  return list.flatMap((text, i) => readRuleAddress(spot.at(i), text) ?? []);
}

interface ProtocolSources {
  readonly knownShapes: ReadonlySet<string>;
  readonly motifKinds: ReadonlyMap<string, unknown>;
  /** Stored indexes of created contracts, by `creationKey`. */
  readonly indexes: ReadonlyMap<string, string>;
}

/** A protocol while overlays may still extend it. */
type OpenProtocol = Omit<ProtocolSpec, 'version'> & {
  version: number;
  readonly addresses: Set<Address>;
  readonly created: CreationSpec[];
  readonly registries: RegistrySpec[];
};

/** Compiles protocols; `protocolsByShape` are those of each shape, in slug order. */
export function compileProtocols(
  items: readonly RuleItem<RawProtocol>[],
  shapes: readonly RuleItem<RawShape>[],
  { knownShapes, motifKinds, indexes }: ProtocolSources,
): { protocols: ProtocolSpec[]; protocolsByShape: Map<string, ProtocolSpec[]> } {
  const protocols: ProtocolSpec[] = [];
  const protocolsByShape = new Map<string, ProtocolSpec[]>();
  const anyEmitter = new Set(shapes.filter((s) => s.value.any_emitter).map((s) => s.value.slug));
  const inForce = new Set(shapes.map((s) => s.value.slug));
  const claimed = new Map<string, string>();

  const open = new Map<string, OpenProtocol>();

  // The base first: an address that two claim is the overlay's mistake.
  for (const item of [...items].sort((a, b) => a.file.layer - b.file.layer)) {
    const below = item.value.extend === true ? open.get(item.value.slug) : undefined;
    const raw = below ? { ...item.value, name: below.name } : item.value;
    const spot = new Spot(item);
    const spec = below ?? openProtocol(spot, raw, motifKinds);
    spec.version = raw.version;
    for (const address of readAddresses(spot, raw, claimed)) {
      if (spec.addresses.has(address))
        spot.at('addresses').report('duplicate_address', `${address} is there`);
      spec.addresses.add(address);
    }
    spec.created.push(...readCreated(spot, raw, indexes));
    spec.registries.push(...readRegistries(spot, raw));
    for (const [shape, at] of spot.each('shapes', raw.shapes))
      if (at.known('unknown_shape', shape, knownShapes)) addTo(protocolsByShape, shape, spec);
    if (below) continue;
    open.set(spec.slug, spec);
    const emits = (['addresses', 'create2', 'created_by', 'registries'] as const).some(
      (key) => raw[key] !== undefined,
    );
    if (!emits && raw.shapes!.every((s) => inForce.has(s)) && !raw.shapes!.some((s) => anyEmitter.has(s)))
      spot.at('slug').report('protocol_without_emitter', raw.slug);
    protocols.push(spec);
  }
  const bySlug = (a: ProtocolSpec, b: ProtocolSpec): number => (a.slug < b.slug ? -1 : 1);
  for (const spoken of protocolsByShape.values()) spoken.sort(bySlug);
  return { protocols: protocols.sort(bySlug), protocolsByShape };
}

function openProtocol(spot: Spot, raw: RawProtocol, motifKinds: ProtocolSources['motifKinds']): OpenProtocol {
  return {
    slug: raw.slug,
    version: raw.version,
    name: raw.name!,
    addresses: new Set(),
    create2: readCreate2(spot, raw),
    created: [],
    tokens: tokenPatterns(raw),
    registries: [],
    payments: readPayments(spot, raw, motifKinds),
    ...(raw.swap_fee_ppm === undefined ? {} : { swapFeePpm: raw.swap_fee_ppm }),
    tags: raw.tags ?? [],
  };
}

function tokenPatterns({ tokens }: RawProtocol): ProtocolSpec['tokens'] {
  return tokens ? { names: tokens.names ?? [], symbols: tokens.symbols ?? [] } : null;
}

/** `claimed`: the protocol's slug by `<address> <shape>`, and its name by address. */
function readAddresses(spot: Spot, raw: RawProtocol, claimed: Map<string, string>): Set<Address> {
  const addresses = new Set<Address>();
  for (const [text, here] of spot.each('addresses', raw.addresses)) {
    const address = readRuleAddress(here, text);
    if (address === null) continue;
    if (addresses.has(address)) here.report('duplicate_address', text);
    addresses.add(address);
    const owner = claimed.get(address);
    if (owner !== undefined && owner !== raw.name)
      here.report('foreign_address', `it is an address of ${owner}`);
    else claimed.set(address, raw.name!);
    for (const shape of raw.shapes ?? []) {
      const other = claimed.get(`${address} ${shape}`);
      if (other !== undefined && other !== raw.slug)
        here.report('duplicate_address', `${other} claims it for ${shape} too`);
      claimed.set(`${address} ${shape}`, raw.slug);
    }
  }
  return addresses;
}

/** keccak256 of nothing (EIP-1052). */
const NO_CODE = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

function readCreate2(spot: Spot, { create2: raw }: RawProtocol): ProtocolSpec['create2'] {
  if (raw === undefined) return null;
  const deployer = readRuleAddress(spot.at('create2', 'deployer'), raw.deployer);
  if ((raw.salt === 'abi_fee') !== (raw.fees !== undefined))
    spot.at('create2', 'salt').report('bad_create2', raw.salt);
  if (raw.init_code_hash === NO_CODE || /^0x0+$/.test(raw.init_code_hash))
    spot.at('create2', 'init_code_hash').report('bad_create2', 'the hash of no code');
  return (
    deployer && { deployer, initCodeHash: raw.init_code_hash as Hash, salt: raw.salt, fees: raw.fees ?? [] }
  );
}

/** Names a row of created contracts, in rule files and in the stored indexes. */
export function creationKey(deployer: Address, salt: Hash | null): string {
  return salt === null ? deployer : `${deployer}/${salt}`;
}

function readCreated(
  spot: Spot,
  { created_by: rows }: RawProtocol,
  indexes: ReadonlyMap<string, string>,
): CreationSpec[] {
  const specs: CreationSpec[] = [];
  for (const [row, here] of spot.each('created_by', rows)) {
    const { deployer: text, count, shim_hash: initCodeHash, salt, children = 0 } = row;
    const deployer = readRuleAddress(here.at('deployer'), text);
    const shim = initCodeHash !== undefined && salt !== undefined ? { initCodeHash, salt } : null;
    if ((initCodeHash === undefined) !== (salt === undefined)) here.report('bad_creation', text);
    if (deployer === null) continue;
    const index = indexes.get(creationKey(deployer, salt ?? null)) ?? null;
    specs.push({ deployer, count, shim, children, index });
  }
  return specs;
}

function readPayments(
  spot: Spot,
  { payments }: RawProtocol,
  motifKinds: ProtocolSources['motifKinds'],
): ProtocolSpec['payments'] {
  if (payments === undefined) return null;
  const here = spot.at('payments');
  here.at('kind').known('unknown_motif_kind', payments.kind, motifKinds);
  return { kind: payments.kind, assets: new Set(readRuleAddresses(here.at('assets'), payments.assets)) };
}

function readRegistries(spot: Spot, { registries }: RawProtocol): RegistrySpec[] {
  const specs: RegistrySpec[] = [];
  for (const [{ address: text, call, since_block }, here] of spot.each('registries', registries)) {
    const address = readRuleAddress(here.at('address'), text);
    const signature = here.at('call').take(parseSignature('function', call));
    if (signature === null) continue;
    if (signature.params.length !== 1 || signature.params[0]!.type !== 'address')
      here.at('call').report('bad_registry', call);
    else if (address !== null)
      specs.push({ address, selector: signature.id as Hex, sinceBlock: BigInt(since_block) });
  }
  return specs;
}
