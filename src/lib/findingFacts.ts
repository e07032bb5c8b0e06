import type { FactDeclaration } from '../model/intent.ts';

/** The facts that rules of findings may use, besides `step.<name>` of each of their steps. */
export const FINDING_FACTS: readonly FactDeclaration[] = [
  {
    name: 'acts.proven',
    type: 'boolean',
    doc: 'Every act of every step is a Proven motif.',
  },
  {
    name: 'acts.own',
    type: 'boolean',
    doc: 'Each act of the entity names one of its accounts as a party: it is not the act of another inside its transaction.',
  },
  {
    name: 'entity.link',
    type: 'enum',
    values: ['none', 'signer', 'contract', 'receiver'],
    doc:
      'What makes the steps of the same entity one: the signer; the called contract that acted; or only that one ' +
      'received what another bought, which a stranger can bring about. The weakest link counts.',
  },
  {
    name: 'amounts.agree',
    type: 'boolean',
    doc:
      'At one venue the last act of the entity gives what its first received, or receives what its first gave, to ' +
      'one part in a hundred.',
  },
  {
    name: 'position.same',
    type: 'boolean',
    doc: 'First and last act of the entity concern one position: equal indexed words of their events, or one share.',
  },
  {
    name: 'venues.known',
    type: 'boolean',
    doc: 'Every venue belongs to a protocol that the rules recognise.',
  },
  { name: 'venues.count', type: 'count', doc: 'Venues at which the steps took place.' },
  {
    name: 'profit.sign',
    type: 'enum',
    values: ['none', 'gain', 'loss', 'mixed'],
    doc: 'What the entity was left with, tips to the builder counted as its own: gains only, losses only, or both.',
  },
];

/** The fact that each step has: transactions in it. */
export function stepFact(step: string): FactDeclaration {
  return { name: `step.${step}`, type: 'count', doc: `Transactions in the step ${step}.` };
}

/** What a failed test of a fact is called as a caveat. */
export const FINDING_CAVEATS: Readonly<Record<string, string>> = {
  'acts.proven': 'An act it rests on is not Proven.',
  'acts.own': 'An act may be that of another account inside the transaction.',
  'entity.link':
    'That the accounts are one rests on who received what was bought, which a stranger can bring about.',
  'amounts.agree': 'The amounts of the first and the last trade do not agree.',
  'position.same': 'Nothing shows that one position was opened and closed.',
  'venues.known': 'A venue is known by its behaviour only.',
  'profit.sign': 'It left no clear gain.',
};
