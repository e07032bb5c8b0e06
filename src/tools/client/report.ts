import type * as Generated from '../../model/generated/report.ts';

/** An intent kind this version knows, or any other: rule authors may add kinds. */
export type IntentKind = Generated.KnownIntentKind | (string & {});

/** Dollars for display: `text` is `$12.34`, or a dash where unavailable; never compute with it. */
export type Money =
  | { readonly available: true; readonly text: string }
  | { readonly available: false; readonly text: string; readonly reason: string };

/** The generated type, money as a discriminated union, intent kinds as a union that completes in editors. */
type Refined<T> = T extends Generated.DisplayMoney
  ? Money
  : T extends readonly (infer Item)[]
    ? Refined<Item>[]
    : T extends object
      ? { [Key in keyof T]: Key extends 'intent_kind' | 'kind' ? RefinedKind<T[Key]> : Refined<T[Key]> }
      : T;
/** `kind` of a fragment is an intent kind; other `kind`s are unions of their own and stay as they are. */
type RefinedKind<T> = string extends T ? IntentKind : T;

export type TxReport = Refined<Generated.TxReport>;
export type InventoryDelta = TxReport['inventory_deltas'][number];
export type Movement = NonNullable<TxReport['movements']>[number];
export type Motif = TxReport['motifs'][number];
export type PositionEffect = TxReport['position_effects'][number];
export type Allowance = NonNullable<TxReport['allowances']>[number];
export type Evidence = Generated.Evidence;
export type Asset = Generated.Asset;
