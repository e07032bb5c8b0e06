// Calls a running service with the types of openapi-typescript, by openapi-fetch.  usage: callTypes URL HASH INTENT
import createClient from 'openapi-fetch';
import type { paths } from './openapi.mts';

const [url, tx_hash, intent] = process.argv.slice(2) as [string, string, string];
const client = createClient<paths>({ baseUrl: url });
const must = (ok: boolean, what: unknown): void => {
  if (ok) return;
  console.log('FAIL  openapi-typescript:', what);
  process.exit(1);
};
const { data: report, error } = await client.POST('/analyze', { body: { tx_hash } });
must(report?.classification.intent_kind === intent, error ?? report?.classification);
const fee = report!.economics.fee_usd;
// The union narrows: `reason` exists on the other branch alone.
must(fee.available ? fee.text.startsWith('$') : fee.reason === '', fee);
const refused = await client.POST('/analyze', { body: { tx_hash: '0x12' } });
must(refused.error?.error.includes('tx_hash') === true, refused);
console.log(`ok    openapi-typescript: ${report!.classification.intent_label}`);
