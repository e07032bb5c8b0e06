/** Smallest rules of each kind that load, to start from. */
export const TEMPLATES: Readonly<Record<string, string>> = {
  intent: `slug: my-swap
version: 1
status: experimental
summary: Say what this rule is for, and what it must not match.
intent: DirectSwap
label: Swap {gave} for {got}
label_fallback: Swap tokens
rests_on: [swap]
requires_any: [swap]
priority: 50
when:
  all:
    - {fact: swaps.pools, is: eq, value: 1}
    - {fact: actor.sent.assets, is: gte, value: 1}
    - {fact: actor.received.assets, is: gte, value: 1}
proof: heuristic
confidence: {known: Medium, family: Low}
examples:
  match:
    - facts: {swaps.pools: 1, actor.sent.assets: 1, actor.received.assets: 1}
  near_miss:
    - name: two pools
      facts: {swaps.pools: 2, actor.sent.assets: 1, actor.received.assets: 1}
`,
  shape: `slug: my-pool
version: 1
status: experimental
summary: Say whose event this is and what it means.
references: [https://example.org/where-the-event-is-documented]
any_emitter: true
family_confidence: Low
events:
  - event: "Exchange(address indexed sender, uint256 amountIn, uint256 amountOut)"
    kind: swap
    roles: {payer: $sender, recipient: $leg.out.to}
    legs:
      - {role: in, to: $venue, amount: $amountIn}
      - {role: out, from: $venue, amount: $amountOut}
`,
  protocol: `slug: my-protocol
version: 1
status: experimental
name: My Protocol
shapes: [amm-v2-pool]
addresses: ["0xa11cE00000000000000000000000000000c0FfeE"]
references: [https://example.org/deployments]
`,
};
