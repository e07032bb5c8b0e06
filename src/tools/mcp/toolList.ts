/** A sentence for each tool: its description begins with it; help and docs show it. */
export const TOOLS = {
  analyze: 'What one transaction was for, who acted, who gained and lost what, with on-chain evidence.',
  explain: 'Why a transaction was classified as it was: the rule that won, and those that did not.',
  trace: 'Every call of one transaction in order, decoded, with its logs and movements.',
  block: 'What several transactions of one block show together: sandwiches, back-runs, builder income.',
  verify: 'Whether a report that somebody hands over is true, and which of its statements are not.',
  ledger: 'What transactions are in the books of accounts, for tax programs and bookkeeping.',
  preview_transaction: 'What a transaction would do if sent now, or what a signature on typed data allows.',
  list_intents: 'Every kind of intent a report can name, and the rules that recognise it.',
} as const;
