import type { Evidence, TxReport } from '../../src/model/generated/report.ts';
import { accountsOf, type AccountBook } from '../../src/tools/wording/accounts.ts';
import { assetsOf, type AssetBook } from '../../src/tools/wording/amounts.ts';
import { explorerOf, type Explorer } from './lib/explorer.ts';
import type { Child } from './lib/dom.ts';
import type { CallTree } from '../../src/tools/wording/calls.ts';

/** A statement of the report, with where to check it. */
export interface Claim {
  /** Names the claim in the page's address: `m-3`, `0x…`, `movement-7`. */
  readonly key?: string;
  /** Kind of claim: `Step`, `Movement`, … */
  readonly kind: string;
  readonly title: Child;
  readonly body: readonly Child[];
  readonly evidence: readonly Evidence[];
  /** Movements to highlight in the graph while the claim is open. */
  readonly movements: readonly number[];
}

/** One report with its lookup tables, and the actions that its sections can trigger. */
export interface View {
  readonly report: TxReport;
  /** The account shown: at first the one the report's figures are about. */
  readonly subject: string;
  /** Shows the report from another account's side. */
  readonly seeAs: (subject: string) => void;
  readonly accounts: AccountBook;
  readonly assets: AssetBook;
  readonly explorer: Explorer | null;
  /** Shows a claim's evidence; the control that opened it regains focus afterwards. */
  readonly inspect: (claim: Claim) => void;
  /** Highlights movements in the graph; null returns to the pinned ones. */
  readonly highlight: (movements: readonly number[] | null) => void;
  /** Highlights movements until others are pinned; null for none. */
  readonly pin: (movements: readonly number[] | null) => void;
  /** The transaction's calls, where this page's server has its trace. */
  readonly trace: (() => Promise<CallTree>) | null;
  /** Opens the call tree at the element of that selector. */
  readonly locate: (selector: string) => void;
  readonly onLocate: (listener: (selector: string) => void) => void;
  /** Called when the highlighted movements change. */
  readonly onHighlight: (listener: (movements: ReadonlySet<number> | null) => void) => void;
}

/** Actions of the page for a view. */
export interface ViewActions {
  readonly inspect: View['inspect'];
  readonly seeAs: View['seeAs'];
  readonly trace: View['trace'];
}

/** A report with its lookup tables, seen from one account's side. */
export function createView(report: TxReport, subject: string, { inspect, seeAs, trace }: ViewActions): View {
  const listeners: ((movements: ReadonlySet<number> | null) => void)[] = [];
  let locate: (selector: string) => void = () => {};
  let pinned: readonly number[] | null = null;
  const highlight = (movements: readonly number[] | null): void => {
    const wanted = movements ?? pinned;
    const set = wanted === null || wanted.length === 0 ? null : new Set(wanted);
    for (const listener of listeners) listener(set);
  };
  return {
    report,
    subject,
    seeAs,
    accounts: accountsOf(report),
    assets: assetsOf(report),
    explorer: explorerOf(report),
    inspect,
    trace,
    locate: (selector) => locate(selector),
    onLocate: (listener) => void (locate = listener),
    highlight,
    pin: (movements) => {
      pinned = movements;
      highlight(null);
    },
    onHighlight: (listener) => void listeners.push(listener),
  };
}
