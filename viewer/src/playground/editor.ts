import { h } from '../lib/dom.ts';

export interface Editor {
  readonly element: HTMLElement;
  text: string;
  /** Puts the cursor at a place, counted from 1. */
  goTo(line: number, column: number): void;
  /** Marks lines that something is wrong with. */
  mark(lines: readonly number[]): void;
}

/** A plain text area with line numbers beside it. Tab leaves it, as everywhere. */
export function createEditor(onRun: () => void): Editor {
  const area = h('textarea', {
    id: 'rule',
    class: 'yaml',
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
    wrap: 'off',
    'aria-label': 'Rule as YAML',
    'aria-describedby': 'rule-help',
  });
  const gutter = h('div', { class: 'gutter', 'aria-hidden': 'true' });
  let wrong: ReadonlySet<number> = new Set();
  const number = (): void => {
    const count = area.value.split('\n').length;
    gutter.replaceChildren(
      ...Array.from({ length: count }, (_, i) =>
        h('span', { class: wrong.has(i + 1) ? 'wrong' : '' }, String(i + 1)),
      ),
    );
  };
  area.addEventListener('input', () => {
    wrong = new Set();
    number();
  });
  area.addEventListener('scroll', () => {
    gutter.style.transform = `translateY(${-area.scrollTop}px)`;
  });
  area.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onRun();
  });
  number();
  return {
    element: h('div', { class: 'editor' }, h('div', { class: 'gutter-window' }, gutter), area),
    get text() {
      return area.value;
    },
    set text(value) {
      area.value = value;
      wrong = new Set();
      area.scrollTop = 0;
      number();
    },
    goTo(line, column) {
      const lines = area.value.split('\n');
      const at = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + column - 1;
      area.focus();
      area.setSelectionRange(at, at);
      area.scrollTop = Math.max(0, (line - 6) * (area.scrollHeight / Math.max(1, lines.length)));
    },
    mark(lines) {
      wrong = new Set(lines);
      number();
    },
  };
}
