import { h } from './lib/dom.ts';
import { icon } from './lib/icons.ts';
import { themeToggle } from './theme.ts';

export interface Shell {
  readonly content: HTMLElement;
  readonly status: HTMLElement;
  readonly hash: HTMLInputElement;
  readonly api: HTMLInputElement;
  readonly tabs: HTMLElement;
}

export interface ShellActions {
  readonly analyze: () => void;
  readonly openFile: (file: File) => void;
}

/** A printed page has no controls: folded parts and the rest of lists are shown. */
export function unfoldForPrint(root: HTMLElement): void {
  window.addEventListener('beforeprint', () => {
    for (let again = true; again; ) {
      again = false;
      for (const more of root.querySelectorAll<HTMLElement>('.motifs .more, .column .more')) {
        more.click();
        again = true;
      }
      for (const fold of root.querySelectorAll<HTMLDetailsElement>(
        '.run:not([open]), .attempts:not([open])',
      )) {
        fold.open = true;
        // Its list is made when it opens, which the browser tells only later.
        fold.dispatchEvent(new Event('toggle'));
        again = true;
      }
    }
  });
}

/** The frame of the page: search bar, settings, status line, content. */
export function createShell(actions: ShellActions, panel: HTMLElement): Shell {
  const hash = h('input', {
    type: 'text',
    id: 'tx',
    name: 'tx',
    placeholder: 'Transaction hash or explorer link',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    maxlength: 400,
    'aria-label': 'Transaction hash or explorer link',
  });
  const api = h('input', { type: 'url', id: 'api', name: 'api', autocomplete: 'off', spellcheck: 'false' });
  const file = h('input', {
    type: 'file',
    id: 'file',
    accept: '.json,application/json',
    class: 'sr',
    tabindex: '-1',
    'aria-hidden': 'true',
  });
  file.addEventListener('change', () => {
    const chosen = file.files?.[0];
    if (chosen) actions.openFile(chosen);
    file.value = '';
  });
  const settings = h(
    'details',
    { class: 'settings' },
    h('summary', { title: 'Service settings', 'aria-label': 'Service settings' }, icon('gear')),
    h(
      'div',
      { class: 'settings-body' },
      h('label', { for: 'api' }, 'Service address'),
      api,
      h('p', { class: 'hint' }, 'The page contacts this service only.'),
    ),
  );
  const form = h(
    'form',
    {
      class: 'ask',
      role: 'search',
      onsubmit: (event: Event) => {
        event.preventDefault();
        settings.open = false;
        actions.analyze();
      },
    },
    icon('search'),
    hash,
    settings,
    h('button', { type: 'submit', class: 'primary' }, 'Analyze'),
  );
  const tabs = h('nav', { class: 'tabs', 'aria-label': 'Views', hidden: true });
  const content = h('div', {});
  const status = h('div', { class: 'status', role: 'status', 'aria-live': 'polite' });
  const main = h('main', { id: 'main', tabindex: '-1' }, status, content);
  const skip = h(
    'a',
    {
      class: 'skip',
      onclick: (event: Event) => {
        event.preventDefault();
        main.focus();
      },
    },
    'Skip to the report',
  );
  skip.href = '#main';
  document.body.append(
    skip,
    h(
      'header',
      { class: 'bar' },
      h('div', { class: 'brand' }, h('span', { class: 'mark-logo', 'aria-hidden': 'true' }), 'txreport'),
      tabs,
      form,
      h(
        'div',
        { class: 'bar-end' },
        file,
        h(
          'button',
          { type: 'button', class: 'quiet', onclick: () => file.click() },
          icon('file'),
          h('span', {}, 'Open a report'),
        ),
        themeToggle(),
      ),
    ),
    main,
    panel,
    h('div', { class: 'drop-sign', 'aria-hidden': 'true' }, 'Drop the report here'),
  );
  return { content, status, hash, api, tabs };
}
