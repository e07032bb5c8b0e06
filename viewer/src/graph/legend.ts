import { h, s } from '../lib/dom.ts';
import { ROLES, ROLE_NAMES } from '../../../src/tools/wording/accounts.ts';
import type { View } from '../view.ts';
import { outline } from './path.ts';

/** Explains the shapes and colours that occur in the drawing. */
export function legend({ report, accounts, subject }: View): HTMLElement {
  const moved = {
    sent: (report.movements ?? []).some((m) => m.from === subject),
    received: (report.movements ?? []).some((m) => m.to === subject),
  };
  const present = new Set(
    (report.movements ?? []).flatMap((m) => [accounts.of(m.from).role, accounts.of(m.to).role]),
  );
  const named =
    accounts.of(subject).role === 'other'
      ? accounts.of(subject).name
      : `the ${accounts.of(subject).part.toLowerCase()}`;
  return h(
    'ul',
    { class: 'legend', 'aria-label': 'Legend' },
    ROLES.filter((role) => present.has(role)).map((role) =>
      h(
        'li',
        {},
        s(
          'svg',
          { class: 'key', viewBox: '0 0 40 24', 'aria-hidden': 'true' },
          s('path', {
            class: `node role-${role}`,
            d: outline(role, { x: 20, y: 12, width: 36, height: 20 }),
          }),
        ),
        ROLE_NAMES[role][0],
      ),
    ),
    (['sent', 'received'] as const)
      .filter((direction) => moved[direction])
      .map((direction) =>
        h(
          'li',
          { class: direction },
          s(
            'svg',
            { class: 'key', viewBox: '0 0 40 24', 'aria-hidden': 'true' },
            s('path', { class: `key-line ${direction}`, d: 'M2 12H30 M26 7 34 12 26 17' }),
          ),
          direction === 'sent' ? `− sent by ${named}` : `+ received by ${named}`,
        ),
      ),
  );
}
