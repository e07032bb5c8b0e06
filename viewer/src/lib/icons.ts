import { s } from './dom.ts';

/** Drawn on a 16 × 16 grid. */
const PATHS = {
  shield: 'M8 1.5 13.5 3.5V8c0 3.2-2.3 5.4-5.5 6.5C4.8 13.4 2.5 11.2 2.5 8V3.5Z M5.5 8 7.3 9.8 10.7 6.2',
  caution: 'M8 2 14.5 13.5H1.5Z M8 6.5V9.5 M8 11.4V11.6',
  question: 'M8 1.5A6.5 6.5 0 1 1 7.99 1.5Z M6 6.3A2 2 0 1 1 8.6 8.2C8.1 8.5 8 8.8 8 9.3 M8 11.3V11.5',
  copy: 'M5.5 5.5H13.5V13.5H5.5Z M3 10.5H2.5V2.5H10.5V3',
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4 12 12 M12 4 4 12',
  out: 'M6.5 3.5H3.5V12.5H12.5V9.5 M9 2.5H13.5V7 M13.5 2.5 7.5 8.5',
  proof: 'M7 2.5A4.5 4.5 0 1 1 6.99 2.5Z M10.3 10.3 14 14',
  file: 'M4 1.5H9.5L12.5 4.5V14.5H4Z M9.5 1.5V4.5H12.5 M8.2 12V7 M6 9 8.2 6.8 10.4 9',
  sun: 'M8 5A3 3 0 1 1 7.99 5Z M8 1V2.5 M8 13.5V15 M1 8H2.5 M13.5 8H15 M3 3 4 4 M12 12 13 13 M13 3 12 4 M4 12 3 13',
  moon: 'M13.5 9.5A6 6 0 1 1 6.5 2.5 4.8 4.8 0 0 0 13.5 9.5Z',
  plus: 'M8 3V13 M3 8H13',
  minus: 'M3 8H13',
  fit: 'M2.5 6V2.5H6 M10 2.5H13.5V6 M13.5 10V13.5H10 M6 13.5H2.5V10',
  fold: 'M3 5H13 M3 8H13 M3 11H13',
  link: 'M7 9 9 7 M6 7 4 9A2.1 2.1 0 0 0 7 12L9 10 M10 9 12 7A2.1 2.1 0 0 0 9 4L7 6',
  search: 'M7 2.5A4.5 4.5 0 1 1 6.99 2.5Z M10.3 10.3 14 14',
  gear: 'M2.5 4.5H13.5 M2.5 11.5H13.5 M6 2.8V6.2 M10.5 9.8V13.2',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative sign; the text beside it or the label of its control has the meaning. */
export function icon(name: IconName): SVGElement {
  return s(
    'svg',
    { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' },
    s('path', { d: PATHS[name] }),
  );
}
