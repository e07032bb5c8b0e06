import type { Parameter as AbiParameter } from 'ox/AbiParameters';
import { isFault, isUnreadable, checkAddress, type SignatureFault } from './signature.ts';
import { splitTopLevel } from '../../lib/text.ts';
import { didYouMean } from './didYouMean.ts';
import type { AmountWord, BindExpr, ParamSpec } from '../../model/rulebook.ts';

/** Functions over expressions. All but `first`, `holder` and `word` take one amount. */
export const BIND_FUNCTIONS = `
  abs positive negative low128 high128 signed_low128 signed_high128 first holder word
`.match(/\w+/g)!;

const fault = (code: SignatureFault['code'], message: string): SignatureFault => ({ code, message });
const IDENT = '[A-Za-z_][A-Za-z0-9_]*';
const WORD = new RegExp(`^\\$(${IDENT})((?:\\.(?:${IDENT}|[0-9]+))*)$`);
const CALL = new RegExp(`^([a-z0-9_]+)\\((.*)\\)$`, 's');

/** Compiles the text of one bind expression. The words are listed in `rules/README.md`. Never throws. */
export function compileBind(source: string, scope: BindScope, depth = 0): BindResult {
  const text = source.trim();
  if (depth > 8) return fault('unknown_bind', 'functions are nested too deeply');
  const word = WORD.exec(text);
  if (word) return compileWord(word[1]!, word[2] === '' ? [] : word[2]!.slice(1).split('.'), scope);
  const call = CALL.exec(text);
  if (call) return compileFunction(call[1]!, call[2]!, scope, depth);
  return compileLiteral(text, scope);
}

function compileWord(name: string, path: readonly string[], scope: BindScope): BindResult {
  if (name === 'leg' && path.length > 0) return compileLeg(path, scope);
  const at = scope.params.findIndex((p) => p.name === name);
  const isWord = wordsIn(scope).includes(name);
  if (at >= 0) return isWord ? fault('param_shadows_word', `$${name}`) : compileArg(at, path, scope);
  if (!Object.hasOwn(BIND_WORDS, name)) return unknownName(name, scope);
  const word = BIND_WORDS[name]!;
  if (!isWord) return fault('bind_out_of_scope', `$${name} exists only for ${word.in}s`);
  if (path.length > 0) return fault('unknown_param', `$${name} has no parts`);
  if (name === 'venue')
    return scope.venue ?? fault('bind_out_of_scope', 'the venue cannot be defined by $venue');
  return { expr: { op: name } as BindExpr, type: word.type };
}

/** The bind words that exist for events, or for calls. */
function wordsIn({ kind }: BindScope): string[] {
  return Object.keys(BIND_WORDS).filter((word) => ['both', kind].includes(BIND_WORDS[word]!.in));
}

function unknownName(name: string, scope: BindScope): SignatureFault {
  const names = scope.params.map((p) => `$${p.name}`);
  const meant = didYouMean(`$${name}`, [...names, ...wordsIn(scope).map((word) => `$${word}`)]);
  return fault('unknown_param', `${meant}; parameters: ${names.join(' ') || 'none'}`);
}

function compileArg(at: number, path: readonly string[], scope: BindScope): BindResult {
  const spec = scope.params[at]!;
  let param = scope.inputs[at]!;
  if (isUnreadable(param, spec.indexed) && path.length > 0) {
    return fault('bind_type', `$${spec.name} is indexed: the topic holds only a hash of it`);
  }
  const indexes: (number | 'sum')[] = [];
  for (const step of path) {
    const next = stepInto(param, step);
    // A sum of sums would read data that a stranger wrote as often as its length squared.
    if (next === null || (next.index === 'sum' && indexes.includes('sum')))
      return fault('unknown_param', `$${spec.name}.${path.join('.')}: no ${step} in ${param.type}`);
    indexes.push(next.index);
    param = next.param;
  }
  const expr = { op: 'arg', name: spec.name, path: indexes } as const;
  const type = usesOf(param.type);
  if (!indexes.includes('sum')) return { expr, type };
  if (!/^u?int/.test(param.type))
    return fault('bind_type', `$${spec.name}.${path.join('.')} adds up ${param.type}, which is no number`);
  return { expr, type: { ...type, account: false } };
}

function compileLeg(path: readonly string[], scope: BindScope): BindResult {
  const [role, end] = path;
  if (path.length !== 2 || !(end === 'from' || end === 'to' || end === 'asset')) {
    return fault('unknown_bind', `$leg.${path.join('.')}: write $leg.<role>.from, .to or .asset`);
  }
  if (!scope.legs.includes(role!))
    return fault(
      'unknown_leg',
      `$leg.${didYouMean(role!, scope.legs)}; legs above: ${scope.legs.join(' ') || 'none'}`,
    );
  return { expr: { op: 'leg', role: role!, end }, type: ACCOUNT };
}

function compileFunction(name: string, inside: string, scope: BindScope, depth: number): BindResult {
  if (!BIND_FUNCTIONS.includes(name))
    return fault(
      'unknown_bind',
      `${didYouMean(name, BIND_FUNCTIONS)}; functions: ${BIND_FUNCTIONS.join(' ')}`,
    );
  if (name === 'word') return compileByteWord(inside, scope, depth);
  const isHolder = name === 'holder';
  const operands: TypedBind[] = [];
  for (const part of splitTopLevel(inside)) {
    const operand = compileBind(part, isHolder ? askable(scope) : scope, depth + 1);
    if (isFault(operand)) return operand;
    operands.push(operand);
  }
  if (isHolder) return holderOf(operands, scope);
  return name === 'first' ? firstOf(operands) : amountWord(name as AmountWord, operands, inside.trim());
}

/** The scope when the node is asked: no leg, and nothing of a call around the event. */
function askable(scope: BindScope): BindScope {
  return { ...scope, legs: [], params: scope.params.filter(({ at }) => at === undefined) };
}

function holderOf([nft, id, ...more]: readonly TypedBind[], { isRole }: BindScope): BindResult {
  if (!isRole) return fault('bind_out_of_scope', 'holder() names the account of a role');
  if (!nft?.type.account || !id?.type.amount || more.length > 0)
    return fault('unknown_bind', "holder() takes an NFT's contract and its id");
  return { expr: { op: 'holder', of: [nft.expr, id.expr] }, type: ACCOUNT };
}

function firstOf(operands: readonly TypedBind[]): BindResult {
  const texts = new Set(operands.map(({ expr }) => JSON.stringify(expr)));
  if (texts.size < Math.max(2, operands.length))
    return fault('unknown_bind', 'first() takes two or more expressions, each another');
  const type = {
    account: operands.every((o) => o.type.account),
    amount: operands.every((o) => o.type.amount),
  };
  return { expr: { op: 'first', of: operands.map((o) => o.expr) }, type };
}

function amountWord(op: AmountWord, operands: readonly TypedBind[], inside: string): BindResult {
  const [operand] = operands;
  if (operands.length !== 1 || !operand) return fault('unknown_bind', `${op}() takes one expression`);
  if (!operand.type.amount) return fault('bind_type', `${op}(${inside}) needs a number`);
  if (op === 'negative' && operand.type.unsigned) return fault('bind_type', `${inside} is unsigned`);
  return { expr: { op, of: operand.expr }, type: AMOUNT };
}

/** `word($data, 32)`: 32 bytes from byte 32 on, for data that is packed rather than ABI-encoded. */
function compileByteWord(inside: string, scope: BindScope, depth: number): BindResult {
  const [data, at, ...more] = splitTopLevel(inside);
  const byte = /^\s*[0-9]{1,4}\s*$/.test(at ?? '') ? Number(at) : null;
  if (data === undefined || byte === null || more.length > 0)
    return fault('unknown_bind', 'word() takes a bytes parameter and the position of the first byte');
  const operand = compileBind(data, scope, depth + 1);
  if (isFault(operand)) return operand;
  if (operand.type.amount || operand.type.account) return fault('bind_type', `${data} is no bytes`);
  return { expr: { op: 'word', of: operand.expr, at: byte }, type: { account: true, amount: true } };
}

function compileLiteral(text: string, { params }: BindScope): BindResult {
  if (/^[0-9]{1,78}$/.test(text)) return { expr: { op: 'literal', value: text }, type: AMOUNT };
  if (/^0x[0-9a-fA-F]{64}$/.test(text))
    return { expr: { op: 'literal', value: text.toLowerCase() }, type: { account: true, amount: true } };
  if (/^0x/i.test(text)) {
    const address = checkAddress(text);
    return isFault(address) ? address : { expr: { op: 'literal', value: address.address }, type: ACCOUNT };
  }
  // Words are written with a dollar sign: the slip of leaving it out is common.
  const isWord = Object.hasOwn(BIND_WORDS, text) || params.some(({ name }) => name === text);
  const hint = isWord ? ` (did you mean $${text}?)` : '';
  return fault('unknown_bind', `${text.slice(0, 80)}${hint} is neither a bind word nor a literal`);
}

/** Possible uses of an expression. An ABI word of 160 bits or more may hold an address. */
interface BindType {
  readonly account: boolean;
  readonly amount: boolean;
  readonly unsigned?: boolean;
}

export interface TypedBind {
  readonly expr: BindExpr;
  readonly type: BindType;
}

type BindResult = TypedBind | SignatureFault;

/** Scope of an expression: the parameters, words and legs it may name. */
export interface BindScope {
  readonly kind: 'event' | 'call';
  readonly params: readonly ParamSpec[];
  readonly inputs: readonly AbiParameter[];
  /** Value of `$venue`; null while the venue itself is being compiled. */
  readonly venue: TypedBind | null;
  /** Legs listed above. */
  readonly legs: readonly string[];
  /** Whether the account of a role is being named. */
  readonly isRole?: boolean;
}

const ACCOUNT: BindType = { account: true, amount: false };
const AMOUNT: BindType = { account: false, amount: true };
const OPAQUE: BindType = { account: false, amount: false };

/** Words without arguments: their scopes and types. The compiler resolves `venue` and `leg`. */
export const BIND_WORDS: Readonly<
  Record<string, { readonly in: 'event' | 'call' | 'both'; readonly type: BindType; readonly doc: string }>
> = {
  emitter: { in: 'event', type: ACCOUNT, doc: 'the contract that emitted the log' },
  target: { in: 'call', type: ACCOUNT, doc: 'the account whose code and storage the call acts on' },
  caller: { in: 'call', type: ACCOUNT, doc: 'the account that made the call' },
  value: { in: 'call', type: AMOUNT, doc: 'wei sent along with the call' },
  venue: { in: 'both', type: ACCOUNT, doc: 'whatever the meaning declares as its venue' },
  signer: { in: 'both', type: ACCOUNT, doc: 'the account that signed the transaction' },
  asked_by: { in: 'both', type: ACCOUNT, doc: 'who asked for it, through listed contracts at most' },
  tx_to: { in: 'both', type: ACCOUNT, doc: "the transaction's own recipient" },
  native: { in: 'both', type: ACCOUNT, doc: 'ether, as an asset' },
  zero: { in: 'both', type: ACCOUNT, doc: 'the zero address' },
};

/** Possible use of an ABI type. */
function usesOf(type: string): BindType {
  if (type === 'address') return ACCOUNT;
  if (type === 'bytes32') return { account: true, amount: true };
  const bits = /^(u?)int(\d+)$/.exec(type);
  if (!bits) return OPAQUE;
  const unsigned = bits[1] === 'u';
  return { account: unsigned && Number(bits[2]) >= 160, amount: true, unsigned };
}

/**
 * Position and type of a tuple's field or an array's element, `sum` for all elements added up; null when
 * there is none of that name.
 */
function stepInto(param: AbiParameter, step: string): { index: number | 'sum'; param: AbiParameter } | null {
  const array = /^(.*)\[(\d*)\]$/.exec(param.type);
  if (array) {
    const of = { ...param, type: array[1]! } as AbiParameter;
    if (step === 'sum') return { index: step, param: of };
    if (!/^\d{1,4}$/.test(step)) return null;
    const index = Number(step);
    if (array[2] !== '' && index >= Number(array[2])) return null;
    return { index, param: of };
  }
  if (!('components' in param)) return null;
  const components = param.components as readonly AbiParameter[];
  const index = /^\d{1,3}$/.test(step) ? Number(step) : components.findIndex((c) => c.name === step);
  const found = components[index];
  return found ? { index, param: found } : null;
}
