import { FINDING_CAVEATS } from '../lib/findingFacts.ts';
import { NATIVE_ASSET, erc20Id } from '../value/asset.ts';
import { AmountWriter, gainsOf, type Gains } from './amounts.ts';
import { actsOf, type Act, type Block, type BlockTx } from './blockFacts.ts';
import { candidatesOf, firstOf, type Candidate, type Chain } from './candidates.ts';
import { lossesOf } from './constantProduct.ts';
import { factsOf } from './findingFacts.ts';
import type { PreparedFinding } from '../model/finding.ts';
import type { Amount, Finding, Part } from '../model/generated/finding.ts';
import type { Rulebook } from '../model/rulebook.ts';

type Rules = Pick<Rulebook, 'prepared' | 'motifKinds' | 'protocols' | 'wrappedNative'>;

/**
 * Findings over the transactions of one block, by the rules of `rules/findings`. Pure: reads reports and
 * logs, changes neither. Memory is that of one block.
 */
export async function findInBlock(block: Block, rules: Rules): Promise<Finding[]> {
  const prepared = rules.prepared.findings;
  const asked = prepared.map(({ rule }) => rule);
  const acts = actsOf(block.txs, asked, rules);
  const found: Finding[] = [];
  // Findings that others explain better come after them.
  const inOrder = [...prepared].sort((a, b) => a.rule.outside.length - b.rule.outside.length);
  for (const one of inOrder)
    for (const candidate of candidatesOf(one.rule, acts)) {
      if (isExplained(candidate, found)) continue;
      const finding = await new Weighing(candidate, block, rules).decide(one, found.length);
      if (finding) found.push(finding);
    }
  return found;
}

/** Whether the last transaction is one of an entity in a finding that explains it better. */
function isExplained({ rule, chains }: Candidate, found: readonly Finding[]): boolean {
  if (rule.outside.length === 0 || chains.length === 0) return false;
  const last = [...chains[0]!.values()].at(-1)![0]!.tx;
  return found.some(
    ({ finding, entity, transactions }) =>
      rule.outside.includes(finding) &&
      entity.some((account) => last.own.has(account)) &&
      transactions.some(({ index }) => index === last.index),
  );
}

/** A contract or recipient that two share may be shared by strangers: only the signers are named. */
const LOOSE: ReadonlySet<unknown> = new Set(['contract', 'receiver']);

/** One candidate on its way to a finding. */
class Weighing {
  readonly #entity: ReadonlySet<string>;
  readonly #profitTxs: readonly BlockTx[];
  readonly #gains: Gains;

  constructor(
    private readonly candidate: Candidate,
    private readonly block: Block,
    private readonly rules: Rules,
  ) {
    this.#profitTxs = this.#txsOf(candidate.rule.profit);
    this.#entity = new Set(this.#profitTxs.flatMap(({ own }) => [...own]));
    this.#gains = gainsOf(this.#profitTxs, this.#entity, rules.wrappedNative);
  }

  async decide({ rule, decide }: PreparedFinding, count: number): Promise<Finding | null> {
    const income = rule.income ? this.#income() : null;
    const profit = income?.sums ?? this.#results();
    const facts = factsOf(this.candidate, this.block, profit);
    const unmet = await decide((name) => {
      const value = facts.get(name);
      if (value === undefined) throw new Error(`no fact ${name}`);
      return value;
    });
    if (unmet === null) return null;
    const { number } = this.block;
    const loose = LOOSE.has(facts.get('entity.link'));
    const isProven = unmet.length === 0 && rule.status !== 'experimental';
    const own = income ?? { entity: this.#named(loose), parts: this.#parts(), amounts: this.#amounts() };
    return {
      schema_version: 1,
      id: `${number}-${count}`,
      finding: rule.finding,
      block_number: number,
      status: isProven ? 'Proven' : 'Suspected',
      confidence: loose ? 'Low' : rule.confidence[facts.get('venues.known') === true ? 'known' : 'family'],
      rule: rule.slug,
      rule_version: rule.version,
      caveats: unmet.map((code) => ({ code, text: FINDING_CAVEATS[code] ?? code })),
      entity: own.entity,
      venues: this.#venues(),
      transactions: own.parts,
      amounts: own.amounts,
    };
  }

  #named(loose: boolean): string[] {
    const signers = this.#profitTxs.map(({ report }) => report.tx.signer);
    return [...new Set(loose ? signers : this.#entity)].sort();
  }

  #actsOf(steps: readonly string[]): Act[] {
    return this.candidate.chains.flatMap((chain) => steps.flatMap((step) => [...chain.get(step)!]));
  }

  #txsOf(steps: readonly string[]): BlockTx[] {
    return [...new Set(this.#actsOf(steps).map(({ tx }) => tx))].sort((a, b) => a.index - b.index);
  }

  #venues(): Finding['venues'] {
    return this.candidate.chains.flatMap((chain) => {
      const { venue, poolId, protocol } = firstOf(chain);
      return venue === null ? [] : [{ venue, pool_id: poolId, protocol }];
    });
  }

  #parts(): Part[] {
    const parts = this.candidate.rule.steps.flatMap(({ name }) =>
      this.#txsOf([name]).map((tx) => {
        const motifs = this.#actsOf([name]).flatMap((act) => (act.tx === tx ? act.motifs : []));
        return partOf(name, tx, motifs);
      }),
    );
    return parts.sort((a, b) => a.index - b.index);
  }

  #writer(): AmountWriter {
    const writer = new AmountWriter();
    const { income, steps } = this.candidate.rule;
    const txs = income ? this.block.txs : this.#txsOf(steps.map(({ name }) => name));
    for (const tx of txs) writer.read(tx);
    return writer;
  }

  #amounts(): Amount[] {
    const writer = this.#writer();
    const { rule } = this.candidate;
    const account = this.#profitTxs[0]?.report.attribution.actor ?? null;
    const { gross, tips, gas } = this.#gains;
    const of = (role: 'profit' | 'tip' | 'gas', asset: string, raw: bigint): Amount =>
      writer.write({ role, account, asset, raw });
    const gained = [...gross].map(([asset, raw]) => of('profit', asset, raw));
    const gains = [...gained, of('tip', NATIVE_ASSET, tips), of('gas', NATIVE_ASSET, gas)];
    return [
      ...(rule.profit.length > 0 ? gains : []),
      ...(rule.profit.length > 1 ? this.#poolResults(writer, account) : []),
      ...(rule.loss ? this.#losses(writer) : []),
    ];
  }

  /** Over several acts the gain that the venues left: anybody can give the entity more. */
  #results(): bigint[] {
    const { rule, chains } = this.candidate;
    return [...(rule.profit.length > 1 ? this.#leftBy(chains) : this.#gains.gross).values()];
  }

  /** The sum of the entity's acts in these chains for each asset. */
  #leftBy(chains: readonly Chain[]): Map<string, bigint> {
    const left = new Map<string, bigint>();
    const add = (asset: string, raw: bigint) => left.set(asset, (left.get(asset) ?? 0n) + raw);
    for (const chain of chains)
      for (const { gave, got } of this.candidate.rule.profit.flatMap((step) => [...chain.get(step)!])) {
        for (const [asset, raw] of got) add(asset, raw);
        for (const [asset, raw] of gave) add(asset, -raw);
      }
    return left;
  }

  #poolResults(writer: AmountWriter, account: string | null): Amount[] {
    return this.candidate.chains.flatMap((chain) => {
      const { venue } = firstOf(chain);
      return [...this.#leftBy([chain])].map(([asset, raw]) =>
        writer.write({ role: 'pool_result', account, venue, asset, raw }),
      );
    });
  }

  #losses(writer: AmountWriter): Amount[] {
    const { rule, chains } = this.candidate;
    const { of, topic0 } = rule.loss!;
    const pools = chains.map((chain) => {
      const first = firstOf(chain);
      const feePpm = this.rules.protocols.get(first.protocol ?? '')?.swapFeePpm ?? null;
      const until = [...chain.values()].at(-1)![0]!.tx.index;
      return { first, victims: chain.get(of)!, until, feePpm };
    });
    return lossesOf(this.block, pools, topic0).map(({ act, ...loss }) => {
      const { tx, attribution } = act.tx.report;
      const of = { role: 'loss', account: attribution.actor ?? tx.signer, tx_hash: tx.hash } as const;
      return writer.write('reason' in loss ? { ...of, venue: act.venue, ...loss } : { ...of, ...loss });
    });
  }

  /** Payments to the block's builder, and those it passed on. */
  #income(): { sums: bigint[]; entity: string[]; parts: Part[]; amounts: Amount[] } {
    const { txs, coinbase } = this.block;
    let fees = 0n;
    let direct = 0n;
    let paidOut = 0n;
    const parts: Part[] = [];
    for (const tx of txs) {
      const own = tx.report.tx.signer === coinbase;
      if (!own) fees += priorityFee(tx.report.execution);
      for (const amount of this.#builderChanges(tx)) {
        // The builder pays by its own transactions and is paid by those of others.
        const received = amount > 0n;
        if (received === own) continue;
        if (own) paidOut -= amount;
        else direct += amount;
        parts.push(partOf(own ? 'paid_out' : 'payment', tx, []));
      }
    }
    const writer = this.#writer();
    const sumOf = { income: fees + direct, priority_fees: fees, direct_payments: direct, paid_out: paidOut };
    const amounts = (['income', 'priority_fees', 'direct_payments', 'paid_out'] as const).map((role) =>
      writer.write({ role, account: coinbase, asset: NATIVE_ASSET, raw: sumOf[role] }),
    );
    // No account to name: no income.
    const sums = coinbase === null ? [] : [fees + direct];
    return { sums, entity: coinbase === null ? [] : [coinbase], parts, amounts };
  }

  /** Changes of the builder's ether and wrapped ether by a transaction, none of them zero. */
  #builderChanges({ report }: BlockTx): bigint[] {
    const { coinbase } = this.block;
    const nativeIds = new Set([NATIVE_ASSET, ...[...this.rules.wrappedNative].map(erc20Id)]);
    return report.inventory_deltas
      .filter(({ subject, asset }) => subject === coinbase && nativeIds.has(asset.id))
      .map(({ delta_raw }) => BigInt(delta_raw))
      .filter((amount) => amount !== 0n);
  }
}

function priorityFee({ gas_used, priority_fee_per_gas }: BlockTx['report']['execution']): bigint {
  return BigInt(gas_used) * BigInt(priority_fee_per_gas);
}

function partOf(step: string, { index, report }: BlockTx, motifs: Act['motifs']): Part {
  return {
    step,
    tx_hash: report.tx.hash,
    index,
    account: report.attribution.actor ?? report.tx.signer,
    motif_ids: motifs.map(({ id }) => id),
    evidence: motifs.flatMap(({ evidence }) => evidence),
  };
}
