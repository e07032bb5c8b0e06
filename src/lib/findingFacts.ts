import type { FactDeclaration } from '../model/intent.ts';

/** A fact with its words as a caveat where its test fails. */
type FindingFact = FactDeclaration & { readonly caveat?: string };

function flag(name: string, doc: string, caveat: string): FindingFact {
  return { name, type: 'boolean', doc, caveat };
}

/** The facts that rules of findings may use, besides `step.<name>` of each of their steps. */
export const FINDING_FACTS: readonly FindingFact[] = [
  flag('acts.proven', 'Every act of every step is a Proven motif.', 'An act it rests on is not Proven.'),
  flag(
    'acts.own',
    'Each act of the entity names one of its accounts as a party: it is not the act of another account.',
    'An act may be that of another account inside the transaction.',
  ),
  {
    name: 'entity.link',
    type: 'enum',
    values: ['none', 'signer', 'contract', 'receiver'],
    doc:
      'What makes the steps of the same entity one: the signer; the called contract that acted, which may ' +
      'be open to anybody; or only that one received what another bought. The weakest link counts.',
    caveat:
      'That the accounts are one rests on the contract they called, or on who received what was bought: ' +
      'strangers can share either.',
  },
  flag(
    'amounts.agree',
    'At one venue the last act of the entity gives what its first received, or receives what its first ' +
      'gave, to one part in a hundred.',
    'The amounts of the first and the last trade do not agree.',
  ),
  flag(
    'position.same',
    'First and last act of the entity concern one position: equal indexed words of events, or one share.',
    'Nothing shows that one position was opened and closed.',
  ),
  flag(
    'venues.known',
    'Every venue belongs to a protocol that the rules recognise.',
    'A venue is known by its behaviour only.',
  ),
  { name: 'venues.count', type: 'count', doc: 'Venues at which the steps took place.' },
  flag(
    'others.weigh',
    'At one venue another account trades at least a hundredth of what the first act of the entity gave.',
    'What the others traded is dust beside what the entity gave.',
  ),
  {
    name: 'profit.sign',
    type: 'enum',
    values: ['none', 'gain', 'loss', 'mixed'],
    doc:
      'What its one act left the entity with, tips to the builder included, or what the venues of several ' +
      'left it: gains only, losses only, or both.',
    caveat: 'It left no clear gain.',
  },
];

/** The fact that each step has: transactions in it. */
export function stepFact(step: string): FactDeclaration {
  return { name: `step.${step}`, type: 'count', doc: `Transactions in the step ${step}.` };
}

/** The caveat code of a failed test of a fact. */
export const FINDING_CAVEATS: Readonly<Record<string, string>> = Object.fromEntries(
  FINDING_FACTS.flatMap(({ name, caveat }) => (caveat === undefined ? [] : [[name, caveat]])),
);
