import { describe, expect, it } from 'vitest';
import { packRulebook, unpackRulebook } from '../../../src/service/cache/rulebookCache.ts';
import { loadRules } from '../../../src/service/loadRules.ts';

describe('a packed rulebook', () => {
  const loaded = loadRules();
  const unpacked = unpackRulebook(packRulebook(loaded));

  it('comes out as it went in', () => {
    const { prepared, ...compiled } = loaded;
    expect(unpacked).toEqual({ ...compiled, prepared: unpacked.prepared });
    expect(unpacked.prepared.intents.map((one) => one.rule)).toEqual(prepared.intents.map((one) => one.rule));
    expect([...unpacked.events.keys()]).toEqual([...loaded.events.keys()]);
  });

  it('keeps what is one object one object', () => {
    const shared = unpacked.protocols.values().next().value;
    const speaking = [...unpacked.events.values(), ...unpacked.calls.values()].flatMap((e) =>
      e.mappings.flatMap((m) => m.protocols),
    );
    expect(speaking.every((protocol) => unpacked.protocols.get(protocol.slug) === protocol)).toBe(true);
    expect(speaking).toContain(shared);
  });
});
