// Calls a running service by the client openapi-generator wrote (typescript-fetch).  usage: callFetch URL HASH INTENT
import { Configuration, DefaultApi, ResponseError } from './client/index.ts';

const [basePath, txHash, intent] = process.argv.slice(2) as [string, string, string];
const api = new DefaultApi(new Configuration({ basePath }));
const must = (ok: boolean, what: unknown): void => {
  if (ok) return;
  console.log('FAIL  openapi-generator:', what);
  process.exit(1);
};
must((await api.health()) === 'ok', 'health');
const report = await api.analyze({ analyzeRequest: { txHash } });
must(report.classification.intentKind === intent, report.classification);
must(report.economics.feeUsd.text.startsWith('$'), report.economics.feeUsd);
const refused = await api.analyze({ analyzeRequest: { txHash: '0x12' } }).catch((error: unknown) => error);
must(refused instanceof ResponseError && refused.response.status === 400, refused);
console.log(`ok    openapi-generator: ${report.classification.intentLabel}`);
