import type {
  RecordingsAnswer,
  RulesAnswer,
  TextAnswer,
  TryAnswer,
  TryRequest,
} from '../../../src/tools/playground/answers.ts';

/** Asks the server the page came from. Rejects with its error message. */
async function ask<T>(path: string, body?: object): Promise<T> {
  const response = await fetch(
    `/playground/${path}`,
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const answer = (await response.json()) as T & { error?: string };
  if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
  return answer;
}

export const endpoint = {
  recordings: () => ask<RecordingsAnswer>('recordings'),
  rules: () => ask<RulesAnswer>('rules'),
  rule: (kind: string, slug: string) => ask<TextAnswer>('rule', { kind, slug }),
  draft: (transaction: Omit<TryRequest, 'rule'>) => ask<TextAnswer>('draft', transaction),
  try: (request: TryRequest) => ask<TryAnswer>('try', request),
} as const;
