import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateKeyToAccount } from 'viem/accounts';
import { startAnvil, type Anvil } from '../../devnet/startAnvil.ts';
import { VOCABULARY, fetchAnalyze, upstreamFor } from '../../support/fetchAnalyze.ts';
import type { UpstreamCallEvent } from '../../../src/model/upstream.ts';
import type { Upstream } from '../../../src/stages/1-fetch/rpc/upstream.ts';

type Hash = `0x${string}`;

describe('against a real node', () => {
  let anvil: Anvil;
  let upstream: Upstream;
  const events: UpstreamCallEvent[] = [];
  const ask = async (hash: Hash): Promise<{ dialect: string; delegations: [string, string][] }> => {
    events.length = 0;
    const { json } = await fetchAnalyze(upstream, VOCABULARY)(hash, {
      signal: new AbortController().signal,
      deadlineAt: performance.now() + 8_000,
      onCall: (event) => void events.push(event),
    });
    return JSON.parse(json) as { dialect: string; delegations: [string, string][] };
  };
  const send = async (tx: object): Promise<Hash> => {
    const hash = (await anvil.rpc('eth_sendTransaction', [tx])) as Hash;
    await anvil.client.waitForTransactionReceipt({ hash });
    return hash;
  };
  let from: string;

  beforeAll(async () => {
    anvil = await startAnvil();
    upstream = upstreamFor([anvil.rpcUrl]);
    from = ((await anvil.rpc('eth_accounts')) as string[])[0]!;
  });
  afterAll(async () => {
    await upstream?.close();
    await anvil?.stop();
  });

  it('fetches a transfer, a creation, a revert and an inner log in two requests each', async () => {
    const to = `0x${'42'.repeat(20)}`;
    await ask(await send({ from, to, value: '0x5' }));
    // Code that logs its caller's data and stops; then the same deployed by a creation; then code that reverts.
    const hash = await send({ from, data: '0x600a600c600039600a6000f3' + '60006000a060016000f3' });
    const created = ((await anvil.rpc('eth_getTransactionReceipt', [hash])) as { contractAddress: string })
      .contractAddress;
    await ask(hash);
    expect(events).toHaveLength(2);
    expect(await ask(await send({ from, to: created, data: '0x1234' }))).toMatchObject({
      dialect: 'call_tracer',
    });
    await anvil.rpc('anvil_setCode', [to, '0x60006000fd']);
    await ask(await send({ from, to, gas: '0x186a0' }));
    expect(events.map((e) => e.outcome)).toEqual(['ok', 'ok']);
  });

  it('is not fooled by its answers for an unknown hash', async () => {
    await expect(ask(`0x${'ab'.repeat(32)}`)).rejects.toMatchObject({ code: 'transaction_not_found' });
    // Behind one address there may be another node, or this one may be behind.
    expect(events).toHaveLength(4);
  });

  it('tells a pending transaction', async () => {
    await anvil.rpc('evm_setAutomine', [false]);
    const hash = (await anvil.rpc('eth_sendTransaction', [{ from, to: from }])) as Hash;
    await expect(ask(hash)).rejects.toMatchObject({ code: 'transaction_pending' });
    await anvil.rpc('evm_mine');
    await anvil.rpc('evm_setAutomine', [true]);
    await ask(hash);
  });

  it('finds the delegation of an account by the authority recovered (EIP-7702)', async () => {
    const authority = privateKeyToAccount(`0x${'77'.repeat(32)}`);
    const delegate = `0x${'de'.repeat(20)}` as const;
    const authorization = await authority.signAuthorization({ address: delegate, chainId: 1, nonce: 0 });
    const signer = privateKeyToAccount(`0x${'88'.repeat(32)}`);
    await anvil.rpc('anvil_setBalance', [signer.address, '0xde0b6b3a7640000']);
    const raw = await signer.signTransaction({
      chainId: 1,
      type: 'eip7702',
      to: from as Hash,
      gas: 100_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      nonce: 0,
      authorizationList: [authorization],
    });
    const hash = (await anvil.rpc('eth_sendRawTransaction', [raw])) as Hash;
    await anvil.client.waitForTransactionReceipt({ hash });
    expect((await ask(hash)).delegations).toEqual([[authority.address.toLowerCase(), delegate]]);
  });
});
