import type { Evidence, TxReport } from '../../src/model/generated/report.ts';
import { accountsOf, type AccountBook } from './lib/accounts.ts';
import { assetsOf, type AssetBook } from './lib/assets.ts';
import { explorerOf, type Explorer } from './lib/explorer.ts';
import type { Child } from './lib/dom.ts';

/** Something the report says, with where to check it. */
export interface Claim {
  /** What sort of claim it is: `Motif`, `Movement`, … */
  readonly kind: string;
  readonly title: Child;
  readonly body: readonly Child[];
  readonly evidence: readonly Evidence[];
  /** Movements to point out in the graph while the claim is looked at. */
  readonly movements: readonly number[];
}

/** One report with what is looked up in it, and what its sections can ask of the page. */
export interface View {
  readonly report: TxReport;
  readonly accounts: AccountBook;
  readonly assets: AssetBook;
  readonly explorer: Explorer | null;
  /** Shows a claim's evidence; the control that asked gets the focus back afterwards. */
  readonly inspect: (claim: Claim) => void;
  /** Points movements out in the graph for a moment; null goes back to what is pinned. */
  readonly highlight: (movements: readonly number[] | null) => void;
  /** Points movements out until something else is pinned; null for nothing. */
  readonly pin: (movements: readonly number[] | null) => void;
  /** Called on every change of what is pointed out. */
  readonly onHighlight: (listener: (movements: ReadonlySet<number> | null) => void) => void;
}

export function createView(report: TxReport, inspect: (claim: Claim) => void): View {
  const listeners: ((movements: ReadonlySet<number> | null) => void)[] = [];
  let pinned: readonly number[] | null = null;
  const highlight = (movements: readonly number[] | null): void => {
    const wanted = movements ?? pinned;
    const set = wanted === null || wanted.length === 0 ? null : new Set(wanted);
    for (const listener of listeners) listener(set);
  };
  return {
    report,
    accounts: accountsOf(report),
    assets: assetsOf(report),
    explorer: explorerOf(report),
    inspect,
    highlight,
    pin: (movements) => {
      pinned = movements;
      highlight(null);
    },
    onHighlight: (listener) => void listeners.push(listener),
  };
}
