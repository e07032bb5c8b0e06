import type { ProtocolRef } from '../model/primitive.ts';

/** Whether the contract is proven to be the protocol's; false for a family's behaviour or a token's name. */
export function isRecognised(protocol: ProtocolRef | null): protocol is ProtocolRef {
  return protocol !== null && protocol.matchedBy !== 'family' && protocol.matchedBy !== 'token';
}
