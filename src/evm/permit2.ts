import { grant, type SignedForm } from './signedStruct.ts';
import { struct } from './signing.ts';
import type { Address, Hex } from '../model/hex.ts';

const TOKEN = '(address token,uint256 amount)';
const ALLOWANCE = '(address token,uint160 amount,uint48 expiration,uint48 nonce)';

interface TransferPermit {
  readonly permitted: Amount | readonly Amount[];
  readonly nonce: bigint;
  readonly deadline: bigint;
}

interface Allowance {
  readonly details: Amount | readonly Amount[];
  readonly spender: Address;
}

interface Amount {
  readonly token: Address;
  readonly amount: bigint;
}

interface Details {
  readonly requestedAmount: bigint;
}

/** A signature transfer of one token or several (`[]`): takes by its own field, never all that is allowed. */
function transfer(list: '' | '[]', witness: string): SignedForm {
  const several = list === '' ? '' : 'Batch';
  const witnessed = witness === '' ? '' : 'Witness';
  const head =
    `Permit${several}${witnessed}TransferFrom(TokenPermissions${list} permitted,address spender,` +
    'uint256 nonce,uint256 deadline';
  const tail = `)TokenPermissions${TOKEN}`;
  return [
    `permit${witnessed}TransferFrom((${TOKEN}${list} permitted,uint256 nonce,uint256 deadline) permit,` +
      `(address to,uint256 requestedAmount)${list} transferDetails,address owner,${witness}bytes signature)`,
    ({ permit, transferDetails, owner, witness: word, typeString }, { from: spender }) => {
      const { permitted, nonce, deadline } = permit as TransferPermit;
      const value = { permitted, nonce, deadline, spender, witness: word };
      const hash = (): Hex =>
        witness === ''
          ? struct(head + tail, value)
          : struct(`${head},bytes32 witness${tail}`, value, `${head},${typeString as string}`);
      const taken = [transferDetails].flat() as Details[];
      const grants = [permitted]
        .flat()
        .map(({ token }, i) => grant(token, null, taken[i]?.requestedAmount ?? 0n));
      return { owner, hashes: () => [hash()], grants };
    },
  ];
}

/** Permission over one token or several (`[]`). */
function allowance(list: '' | '[]'): SignedForm {
  const several = list === '' ? 'Single' : 'Batch';
  const fields = `PermitDetails${list} details,address spender,uint256 sigDeadline`;
  const type = `Permit${several}(${fields})PermitDetails${ALLOWANCE}`;
  return [
    `permit(address owner,(${ALLOWANCE}${list} details,address spender,uint256 sigDeadline) permitted,` +
      'bytes signature)',
    ({ owner, permitted }) => {
      const { details, spender } = permitted as Allowance;
      const grants = [details].flat().map(({ token, amount }) => grant(token, spender, amount));
      return { owner, hashes: () => [struct(type, permitted as Allowance)], grants };
    },
  ];
}

const WITNESS = 'bytes32 witness,string typeString,';

/** Signature transfers and permissions of Permit2, and how to read them. */
export const PERMIT2: readonly SignedForm[] = (['', '[]'] as const).flatMap((list) => [
  transfer(list, ''),
  transfer(list, WITNESS),
  allowance(list),
]);
