// Sending transactions to the devnet, and putting contracts where mainnet has them.
import {
  encodeAbiParameters,
  encodeFunctionData,
  concatHex,
  decodeFunctionResult,
  getAddress,
  parseAbi,
  toHex,
  type Abi,
  type Address,
  type Hex,
} from 'viem';
import type { Rpc } from './rpc.ts';
import { account } from './accounts.ts';

export interface Receipt {
  status: Hex;
  transactionHash: Hex;
  blockNumber: Hex;
  gasUsed: Hex;
  effectiveGasPrice: Hex;
  contractAddress: Address | null;
  from: Address;
  to: Address | null;
  blobGasUsed?: Hex;
  blobGasPrice?: Hex;
  logs: { address: Address; topics: Hex[]; data: Hex }[];
}
export interface Request {
  to?: Address | null;
  data?: Hex;
  value?: bigint;
  gas?: bigint;
  /** EIP-7702 authorizations, already signed. */
  authorizationList?: unknown[];
  /** Sent as a transaction of the first kind, with a plain gas price. */
  legacy?: boolean;
}

export const ETHER = 10n ** 18n;
const BASE_FEE = 1_500_000_000n;
const TIP = 100_000_000n;
const MAX_FEE = 5_000_000_000n;

const signatures = new Map<string, Abi>();
function abiOf(signature: string): Abi {
  let abi = signatures.get(signature);
  if (!abi)
    signatures.set(
      signature,
      (abi = parseAbi([signature.startsWith('function ') ? signature : `function ${signature}`] as [
        string,
      ]) as Abi),
    );
  return abi;
}

/** Calldata from a readable signature: `fn('transfer(address,uint256)', [to, 1n])`. */
export const fn = (signature: string, args: unknown[] = []): Hex =>
  encodeFunctionData({ abi: abiOf(signature), args } as never);

/** Calldata by name from an artifact's ABI, for functions whose tuples are too long to write out. */
export const fnOf = (abi: Abi, functionName: string, args: unknown[] = []): Hex =>
  encodeFunctionData({ abi, functionName, args } as never);

/** Init code followed by its encoded constructor arguments. */
export function initCode(contract: { abi: Abi; bytecode: Hex }, args: unknown[] = []): Hex {
  const constructor = contract.abi.find((item) => item.type === 'constructor');
  return constructor?.type === 'constructor'
    ? concatHex([contract.bytecode, encodeAbiParameters(constructor.inputs, args as never)])
    : contract.bytecode;
}

export class Chain {
  readonly rpc: Rpc;
  private readonly nonces = new Map<string, number>();
  /** The last transaction sent without a key. */
  private sent: Promise<unknown> = Promise.resolve();
  constructor(rpc: Rpc) {
    this.rpc = rpc;
  }

  /**
   * Signs with the named account's key, sends and waits until mined (one block each). Gas is given, never
   * estimated, so that a transaction which must fail is sent all the same.
   */
  async send(from: string, request: Request): Promise<Hex> {
    const signer = account(from);
    const nonce = await this.nonce(from);
    const common = {
      chainId: 1,
      nonce,
      gas: request.gas ?? 1_000_000n,
      to: request.to ?? null,
      value: request.value ?? 0n,
      data: request.data ?? '0x',
    } as const;
    const fees = { maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: TIP };
    const raw = request.legacy
      ? await signer.signTransaction({ ...common, type: 'legacy', gasPrice: BASE_FEE + TIP })
      : request.authorizationList
        ? await signer.signTransaction({
            ...common,
            ...fees,
            type: 'eip7702',
            authorizationList: request.authorizationList,
          } as never)
        : await signer.signTransaction({ ...common, ...fees, type: 'eip1559' });
    await this.rpc('anvil_setNextBlockBaseFeePerGas', [toHex(BASE_FEE)]);
    const hash = (await this.rpc('eth_sendRawTransaction', [raw])) as Hex;
    this.nonces.set(from, nonce + 1);
    await this.receipt(hash);
    return hash;
  }

  /**
   * A blob transaction without its blobs: anvil mines it, which is all that gas accounting needs. Its signature
   * is anvil's own, since the sender is impersonated.
   */
  async sendBlob(from: string, request: Request): Promise<Hex> {
    const nonce = await this.nonce(from);
    await this.rpc('anvil_setNextBlockBaseFeePerGas', [toHex(BASE_FEE)]);
    const hash = (await this.rpc('eth_sendTransaction', [
      {
        type: '0x3',
        from: account(from).address,
        to: request.to,
        value: toHex(request.value ?? 0n),
        data: request.data ?? '0x',
        nonce: toHex(nonce),
        gas: toHex(request.gas ?? 100_000n),
        maxFeePerGas: toHex(MAX_FEE),
        maxPriorityFeePerGas: toHex(TIP),
        maxFeePerBlobGas: toHex(MAX_FEE),
        blobVersionedHashes: [`0x01${'ab'.repeat(31)}`],
      },
    ])) as Hex;
    this.nonces.set(from, nonce + 1);
    await this.receipt(hash);
    return hash;
  }

  /** The next nonce of a person. An authorization spends one too: see `spendNonce`. */
  async nonce(from: string): Promise<number> {
    return (
      this.nonces.get(from) ??
      Number(await this.rpc('eth_getTransactionCount', [account(from).address, 'latest']))
    );
  }
  /** After the chain was set back: nonces are asked for again. */
  forgetNonces(): void {
    this.nonces.clear();
  }
  async spendNonce(from: string): Promise<void> {
    this.nonces.set(from, (await this.nonce(from)) + 1);
  }

  /** As `send`, but a failed receipt is an error: for steps that prepare a scenario. */
  async must(from: string, request: Request): Promise<Receipt> {
    return this.checked(await this.send(from, request), request);
  }

  /** From any address, without its key (anvil impersonates): for set-up as owners and governors. */
  async as(from: Address, request: Request): Promise<Receipt> {
    const transaction = {
      from,
      to: request.to ?? undefined,
      data: request.data ?? '0x',
      value: toHex(request.value ?? 0n),
      gas: toHex(request.gas ?? 16_000_000n),
      gasPrice: toHex(MAX_FEE),
    };
    // One at a time: anvil gives two that come together the same nonce.
    this.sent = this.sent.catch(() => {}).then(() => this.rpc('eth_sendTransaction', [transaction]));
    return this.checked((await this.sent) as Hex, request);
  }

  /** The receipt, polled for: anvil may answer null for a moment even though it mines at once. */
  async receipt(hash: Hex): Promise<Receipt> {
    const deadline = Date.now() + 15_000;
    for (;;) {
      const receipt = (await this.rpc('eth_getTransactionReceipt', [hash])) as Receipt | null;
      if (receipt) return receipt;
      if (Date.now() > deadline) throw new Error(`${hash} was not mined within 15 s`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** eth_call by readable signature; one result is unwrapped. */
  async read<T = any>(
    to: Address,
    signature: string,
    args: unknown[] = [],
    block: Hex | 'latest' = 'latest',
  ): Promise<T> {
    const data = (await this.rpc('eth_call', [{ to, data: fn(signature, args) }, block])) as Hex;
    return decodeFunctionResult({ abi: abiOf(signature), data } as never) as T;
  }

  async code(address: Address): Promise<Hex> {
    return this.rpc('eth_getCode', [address, 'latest']) as Promise<Hex>;
  }

  /** Ordinary CREATE from the deployer; the address follows from the order of the set-up. */
  async deploy(contract: { abi: Abi; bytecode: Hex }, args: unknown[] = []): Promise<Address> {
    const { contractAddress } = await this.as(account('deployer').address, {
      data: initCode(contract, args),
    });
    if (!contractAddress) throw new Error('deployment without an address');
    return getAddress(contractAddress);
  }

  /**
   * Runs a constructor at a given address, without its deployer's key: the init code is put there as code, called
   * once for the runtime code it returns (immutables included) and once as a transaction so that its storage
   * writes and CREATEs happen at that address, and is then replaced by the runtime code.
   */
  async placeAt(
    address: Address,
    contract: { abi: Abi; bytecode: Hex },
    args: unknown[] = [],
    from: Address = account('deployer').address,
  ): Promise<Address> {
    await this.rpc('anvil_setNonce', [address, '0x1']);
    await this.rpc('anvil_setCode', [address, initCode(contract, args)]);
    const runtime = (await this.rpc('eth_call', [{ from, to: address, gas: '0x1c9c380' }, 'latest'])) as Hex;
    await this.as(from, { to: address });
    if (runtime === '0x') throw new Error(`constructor at ${address} returned no code`);
    await this.rpc('anvil_setCode', [address, runtime]);
    return address;
  }

  private async checked(hash: Hex, request: Request): Promise<Receipt> {
    const receipt = await this.receipt(hash);
    if (receipt.status !== '0x1') {
      const trace = await this.rpc('debug_traceTransaction', [hash, { tracer: 'callTracer' }]);
      throw new Error(
        `set-up transaction to ${request.to ?? 'a new contract'} failed: ${trace.revertReason ?? trace.error} ${String(trace.output ?? '').slice(0, 138)} data ${request.data?.slice(0, 10)}`,
      );
    }
    return receipt;
  }
}
