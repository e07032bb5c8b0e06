/** Kinds that only say that value moved: they have no venue, whatever account stands in that place. */
export const PLAIN_MOVEMENTS: ReadonlySet<string> = new Set([
  'transfer',
  'batch_transfer',
  'refund',
  'protocol_fee',
  'builder_payment',
]);

/** Kinds made of other motifs: they tell the same value again. */
export const COMPOSITES: ReadonlySet<string> = new Set(['route', 'cycle', 'batch_transfer', 'aggregation']);

/** Kinds whose venue is the account that acts or that something is done to, not one it deals with. */
export const ACTING_VENUES: ReadonlySet<string> = new Set([
  'account_execution',
  'account_execution_failed',
  'account_administration',
  'account_delegation',
  'deployment',
  'message',
  'approval',
]);
