import * as AbiParameters from 'ox/AbiParameters';
import { checksumAddress } from '../../../../evm/address.ts';
import { linesOf } from '../../../../lib/tableLines.ts';
import { isFault, parseSignature, type ParsedSignature } from '../../../../rules/compile/signature.ts';
import { words } from '../../../wording/text.ts';
import { CliError, type CliIo } from '../../cliIo.ts';
import { signaturesOf, type PlacedSignature } from '../abi/checkAbi.ts';
import { openSoundRuleset, rulesetDirs, type SoundRuleset } from '../rulesets.ts';

const SCHEMA = 'https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json';

/** Prints an ERC-7730 descriptor of a protocol's functions, for wallets. */
export function exportDescriptor(
  { erc7730: slug, dirs }: { readonly erc7730: string; readonly dirs?: readonly string[] },
  io: CliIo,
): void {
  io.out(JSON.stringify(descriptorOf(slug, openSoundRuleset(rulesetDirs(dirs))), null, 2));
}

/** @throws CliError where a wallet could do nothing with it */
export function descriptorOf(slug: string, ruleset: SoundRuleset) {
  const protocol = ruleset.rulebook.protocols.get(slug);
  if (!protocol) throw new CliError(`there is no protocol ${slug}`);
  if (protocol.addresses.size === 0)
    throw new CliError(`${slug} lists no address that a wallet could compare`);
  const formats = formatsOf(slug, ruleset);
  if (formats.length === 0) throw new CliError(`no function of ${slug} has named arguments in the rules`);
  const item = ruleset.protocols.find(({ value }) => value.slug === slug && value.extend !== true);
  const url = item?.value.references?.find((text) => text.startsWith('https://'));
  return {
    $schema: SCHEMA,
    context: {
      $id: protocol.name,
      contract: {
        deployments: [...protocol.addresses].map((a) => ({ chainId: 1, address: checksumAddress(a) })),
      },
    },
    metadata: { owner: protocol.name, ...(url === undefined ? {} : { info: { url } }) },
    display: { formats: Object.fromEntries(formats) },
  };
}

/** Functions of the protocol's shapes, and those with its own names of arguments, which go first. */
function formatsOf(slug: string, { shapes, protocols, rulebook }: SoundRuleset): [string, object][] {
  const slugs = protocols.flatMap(({ value }) => (value.slug === slug ? (value.shapes ?? []) : []));
  const spoken = shapes.filter(({ value }) => slugs.includes(value.slug)).flatMap(signaturesOf);
  const calls = spoken.filter(({ kind }) => kind === 'function');
  const named = linesOf(rulebook.signatures.own, slug).flatMap((line) => {
    const signature = parseSignature('function', line.slice(line.indexOf(' ') + 1));
    return isFault(signature) ? [] : [signature];
  });
  const byText = new Map([...calls.map((one) => one.signature), ...named].map((one) => [one.canonical, one]));
  return [...byText.values()].flatMap((signature): [string, object][] => {
    const call = calls.find((one) => one.signature.canonical === signature.canonical);
    const inputs = inputsOf(signature);
    if (inputs.length === 0 || inputs.some((one) => !isNamed(one))) return [];
    const tokens = call ? tokensOf(call, inputs) : new Map<string, object>();
    const intent = (call && rulebook.motifKinds.get(call.raw.kind)?.title) ?? words(signature.name);
    const paid = tokens.has('@.value') ? [{ path: '@.value', label: 'Ether', format: 'amount' }] : [];
    const fields = [...paid, ...inputs.flatMap((one) => fieldsOf(one, one.name!, tokens))];
    const params = AbiParameters.format(inputs as [AbiParameters.Parameter]);
    return [[`${signature.name}(${params})`, { intent, fields }]];
  });
}

const inputsOf = ({ inputs, params }: ParsedSignature): readonly AbiParameters.Parameter[] =>
  inputs.filter((_, i) => params[i]!.at === undefined);

const partsOf = (param: AbiParameters.Parameter): readonly AbiParameters.Parameter[] =>
  'components' in param ? param.components : [];

const isNamed = (param: AbiParameters.Parameter): boolean =>
  Boolean(param.name) && partsOf(param).every(isNamed);

/** A field for every argument, and for every part of a tuple. */
function fieldsOf(
  param: AbiParameters.Parameter,
  path: string,
  tokens: ReadonlyMap<string, object>,
): readonly object[] {
  const whole = path + '.[]'.repeat(param.type.split('[').length - 1);
  const parts = partsOf(param);
  if (parts.length > 0) return parts.flatMap((part) => fieldsOf(part, `${whole}.${part.name!}`, tokens));
  const field = { path: whole, label: words(param.name!) };
  const params = tokens.get(path);
  if (params) return [{ ...field, format: 'tokenAmount', params }];
  return [{ ...field, format: param.type.startsWith('address') ? 'addressName' : 'raw' }];
}

/** The token of each amount that a leg names, by the amount's path. */
function tokensOf(
  { raw, signature }: PlacedSignature,
  inputs: readonly AbiParameters.Parameter[],
): ReadonlyMap<string, object> {
  const pathOf = (word: string): string | null => {
    if (word === '$value') return '@.value';
    if (word === '$target' || word === '$venue') return '@.to';
    const [first, ...rest] = word.slice(1).split('.');
    const name = inputs[signature.params.findIndex((param) => param.name === first)]?.name;
    return name === undefined ? null : [name, ...rest].join('.');
  };
  const found = (raw.legs ?? []).flatMap(({ amount, asset = '' }): [string, object][] => {
    const tokenPath = pathOf(asset);
    const params = asset.startsWith('0x') ? { token: asset } : { tokenPath };
    const isKnown = asset === '$native' || asset.startsWith('0x') || tokenPath !== null;
    const paths = [amount ?? []].flat().map(pathOf);
    return isKnown ? paths.flatMap((path) => (path === null ? [] : [[path, params]])) : [];
  });
  return new Map(found);
}
