import type { DisplayMoney, TxReport } from '../../model/generated/report.ts';
import { isRecord } from '../../lib/shape.ts';
import { placeOf, walk } from './checkEvidence.ts';
import { accountNet } from './checkProfit.ts';
import { accountIn, mustOf, type Must, type Report } from './finding.ts';
import { NATIVE, type RawChain } from './rawChain.ts';

/** Reasons and null values: each missing value says why, and no part that another implies is left out. */
export function checkReasons(report: TxReport, chain: RawChain, find: Report): void {
  const must = mustOf(find, 'reasons');
  checkMoneyReasons(report, must);
  checkAttributionParts(report, chain, mustOf(find, 'reasons', '/attribution'));
  checkCandidates(report, must);
  checkOrders(report, mustOf(find, 'reasons', '/attribution/orders'));
  const { realized_pnl: pnl, structural_profit_usd: profit, valuation } = report.economics;
  const gross = pnl.supported ? pnl.gross_usd?.text : '$0.00';
  const isGross = !profit.available || profit.text === gross;
  must(isGross, '/economics/structural_profit_usd', 'is not the gross profit');
  for (const [key, ids] of [
    ['refusals', (valuation.refusals ?? []).map(({ asset_id: id }) => id)],
    ['unpriced_assets', valuation.unpriced_assets],
  ] as const)
    must([...ids].sort().join() === ids.join(), `/economics/valuation/${key}`, 'are not in order');
  must(report.engine === undefined || report.accounts !== undefined, '/accounts', 'are left out');
}

/** Places of figures in dollars. */
const MONEY = /^\/economics\/|^\/execution\/gas_cost_usd$/;
const UNPRICED = /^unpriced_asset: ((?:\S+ \(\w+\)(?:, )?)+?)(?: and \d+ more)?$/;

/** Money without a value names the asset that has no price, with the refusal's own code. */
function checkMoneyReasons(report: TxReport, must: Must): void {
  const { refusals = [] } = report.economics.valuation;
  const codes = new Map(refusals.map(({ asset_id: id, code }) => [id, code as string]));
  const codeOf = (id: string): string => codes.get(id) ?? 'no_source';
  for (const [value, at] of walk(report)) {
    if (!isRecord(value)) continue;
    const { usd, asset, reason } = value as { usd?: DisplayMoney; asset?: { id: string }; reason?: unknown };
    const isSame = !usd || !asset || usd.available || usd.reason === `unpriced_asset (${codeOf(asset.id)})`;
    must(isSame, `${at}/usd/reason`, 'is another at the refusal');
    const text = MONEY.test(at) ? String(reason) : '';
    if (text.startsWith('unpriced_asset:'))
      must(namesRefusals(text, codes), `${at}/reason`, 'names no refusal of the report');
    else if (text.startsWith('unpriced_asset '))
      must(/^unpriced_asset \(\w+\)$/.test(text), at, 'is no reason');
  }
}

function namesRefusals(reason: string, codes: ReadonlyMap<string, string>): boolean {
  const named = UNPRICED.exec(reason)?.[1]?.split(', ') ?? [];
  const isRefusal = (part: string): boolean => {
    const [id = '', code] = part.split(' ');
    return (codes.has(id) || id === NATIVE) && code === `(${codes.get(id) ?? 'no_source'})`;
  };
  return named.length > 0 && named.every(isRefusal);
}

/** keccak256("UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)"), ERC-4337. */
const USER_OPERATION = '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f';

/** The contracts that the mode of acting names, and the beneficiary. */
function checkAttributionParts({ attribution: a }: TxReport, chain: RawChain, must: Must): void {
  must((a.beneficiary === null) === (a.actor === null), '/beneficiary', 'is given with an actor');
  const { mode } = a;
  must(mode !== 'smart_account_4337' || a.entry_point !== null, '/entry_point', 'is left out');
  const isSettled = mode === 'solver_settlement' || a.orders.length > 1;
  must(!isSettled || a.settlement_contract !== null, '/settlement_contract', 'is left out');
  must(mode !== 'delegated_7702' || a.delegations.length > 0, '/delegations', 'are left out');
  const sponsored = [...chain.logs.values()].some(
    ({ topics, address }) =>
      topics[0] === USER_OPERATION &&
      address === a.entry_point?.toLowerCase() &&
      BigInt(`0x${topics[2]?.slice(26) ?? '0'}`) === BigInt(a.actor ?? 1) &&
      BigInt(topics[3] ?? 0) !== 0n,
  );
  must(!sponsored || a.paymaster !== null, '/paymaster', 'is named by the operation’s event');
}

/** Candidates have their reasons, the elected one first; those of equal claims are the owners. */
function checkCandidates(report: TxReport, must: Must): void {
  const { attribution: a, economics, inventory_deltas: deltas } = report;
  a.candidates.forEach(({ account, elected, reasons, rejected_because: rejected }, i) => {
    const at = `/attribution/candidates/${i}`;
    must(elected === (rejected === null), `${at}/rejected_because`, 'is given for all others');
    const hasSigned = reasons.includes('signed_the_transaction');
    must(reasons.length > 0 && hasSigned === (account === a.signer), `${at}/reasons`, 'are others');
    must(i === 0 || !elected, at, 'is elected and not the first');
  });
  const isSignerListed = a.candidates.some(({ account }) => account === a.signer);
  must(isSignerListed, '/attribution/candidates', 'lack the signer');
  for (const account of new Set(deltas.map(({ subject }) => subject))) {
    const own = deltas.filter(({ subject }) => subject === account);
    // Dust is no side of an exchange.
    const nets = own.map(({ asset: { id, decimals } }) => {
      const dust = decimals === 0 ? 0n : 10n ** BigInt(Math.max(0, (decimals ?? 18) - 6));
      return { net: accountNet(report, account, id), dust };
    });
    const isTwoSided = nets.some(({ net, dust }) => net > dust) && nets.some(({ net, dust }) => net < -dust);
    const isListed = a.candidates.some((candidate) => candidate.account === account);
    must(isListed || !isTwoSided, '/attribution/candidates', `${account} gave and got`);
  }
  const equal = a.candidates.filter(({ rejected_because: rejected }) => rejected === 'equal_claims');
  must(a.ambiguous === equal.length > 0, '/attribution/ambiguous', 'does not agree with the candidates');
  const owners = (economics.by_owner ?? []).map(({ owner }) => owner);
  const isShared = owners.join() === equal.map(({ account }) => account).join();
  must(isShared, '/economics/by_owner', 'are not the candidates with equal claims');
  const deciding = [...a.candidates.filter(({ elected }) => elected), ...equal];
  const evidence = deciding.flatMap((candidate) => candidate.evidence ?? []);
  const isTheirs = JSON.stringify(evidence) === JSON.stringify(a.evidence);
  must(isTheirs, '/attribution/evidence', 'is not that of the elected or equal candidates');
}

/** Orders are those of the motifs that settle one, in their order. */
function checkOrders({ attribution: { orders }, motifs }: TxReport, must: Must): void {
  const settled = motifs.filter(({ kind }) => kind === 'order_settled');
  must(orders.length === settled.length, '', `${settled.length} were settled`);
  orders.slice(0, settled.length).forEach((order, i) => {
    const motif = settled[i]!;
    const slug = motif.protocol?.slug ?? order.protocol;
    must(order.protocol === slug, `/${i}/protocol`, `is ${slug}`);
    const places = new Set(order.evidence.map(placeOf));
    const isWhole = motif.evidence.every((place) => places.has(placeOf(place)));
    must(isWhole, `/${i}/evidence`, 'lacks a piece of its settlement');
    const account = accountIn(motif, 'recipient') ?? null;
    must(order.receiver === account, `/${i}/receiver`, `is ${account}`);
  });
}
