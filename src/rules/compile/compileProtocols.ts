import type { Address, Hash } from '../../model/hex.ts';
import type { CreationSpec, RegistrySpec } from '../../model/membership.ts';
import type { ProtocolSpec } from '../../model/rulebook.ts';
import { parseSignature } from './signature.ts';
import type { RawProtocol, RawShape } from '../../model/generated/rules.ts';
import { addTo } from '../../lib/lists.ts';
import { Spot, type RuleItem } from './ruleItem.ts';

interface ProtocolSources {
  readonly knownShapes: ReadonlySet<string>;
  readonly motifKinds: ReadonlyMap<string, unknown>;
  /** Stored indexes of created contracts, by `creationKey`. */
  readonly indexes: ReadonlyMap<string, string>;
}

/** Keys that say which contracts are the protocol's. */
const EMITS = ['addresses', 'create2', 'created_by', 'registries'] as const;

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
  const believed = new Map(shapes.map(({ value }) => [value.slug, value.any_emitter]));
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
    if (
      !EMITS.some((key) => raw[key] !== undefined) &&
      raw.shapes!.every((shape) => believed.get(shape) === false)
    )
      spot.at('slug').report('protocol_without_emitter', raw.slug);
    protocols.push(spec);
  }
  const bySlug = (a: ProtocolSpec, b: ProtocolSpec): number => (a.slug < b.slug ? -1 : 1);
  for (const spoken of protocolsByShape.values()) spoken.sort(bySlug);
  return { protocols: protocols.sort(bySlug), protocolsByShape };
}

function openProtocol(spot: Spot, raw: RawProtocol, motifKinds: ProtocolSources['motifKinds']): OpenProtocol {
  const { slug, version, name, tokens, payments, tags = [] } = raw;
  const paid = spot.at('payments');
  if (payments) paid.at('kind').known('unknown_motif_kind', payments.kind, motifKinds);
  return {
    slug,
    version,
    name: name!,
    addresses: new Set(),
    create2: readCreate2(spot.at('create2'), raw.create2),
    created: [],
    tokens: tokens ? { names: [], symbols: [], ...tokens } : null,
    registries: [],
    payments: payments
      ? { kind: payments.kind, assets: new Set(paid.at('assets').addresses(payments.assets)) }
      : null,
    ...(raw.swap_fee_ppm === undefined ? {} : { swapFeePpm: raw.swap_fee_ppm }),
    tags,
  };
}

/** `claimed`: the protocol's slug by `<address> <shape>`, and its name by address. */
function readAddresses(spot: Spot, raw: RawProtocol, claimed: Map<string, string>): Set<Address> {
  const addresses = new Set<Address>();
  for (const [text, here] of spot.each('addresses', raw.addresses)) {
    const address = here.address(text);
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

function readCreate2(spot: Spot, raw: RawProtocol['create2']): ProtocolSpec['create2'] {
  if (raw === undefined) return null;
  const { deployer, init_code_hash: initCodeHash, salt, fees } = raw;
  if ((salt === 'abi_fee') !== (fees !== undefined)) spot.at('salt').report('bad_create2', salt);
  if (initCodeHash === NO_CODE || /^0x0+$/.test(initCodeHash))
    spot.at('init_code_hash').report('bad_create2', 'the hash of no code');
  return { deployer: spot.at('deployer').address(deployer), initCodeHash, salt, fees: fees ?? [] };
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
  return spot.each('created_by', rows).map(([row, here]) => {
    const { deployer: text, count, shim_hash: initCodeHash, salt, children = 0 } = row;
    const deployer = here.at('deployer').address(text);
    const shim = initCodeHash !== undefined && salt !== undefined ? { initCodeHash, salt } : null;
    if ((initCodeHash === undefined) !== (salt === undefined)) here.report('bad_creation', text);
    const index = indexes.get(creationKey(deployer, salt ?? null)) ?? null;
    return { deployer, count, shim, children, index };
  });
}

function readRegistries(spot: Spot, { registries }: RawProtocol): RegistrySpec[] {
  return spot.each('registries', registries).flatMap(([{ address: text, call, since_block }, here]) => {
    const address = here.at('address').address(text);
    const signature = here.at('call').take(parseSignature('function', call));
    if (signature === null) return [];
    if (signature.params.length !== 1 || signature.params[0]!.type !== 'address')
      here.at('call').report('bad_registry', call);
    return { address, selector: signature.id, sinceBlock: BigInt(since_block) };
  });
}
