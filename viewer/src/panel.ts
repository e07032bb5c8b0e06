import { h, replaceChildren } from './lib/dom.ts';
import { icon } from './lib/icons.ts';
import { evidenceList } from './evidence.ts';
import type { Claim, View } from './view.ts';

export interface Panel {
  readonly element: HTMLElement;
  show(view: View, claim: Claim): void;
  /** Called with the key of the claim that is shown, null when the panel closes. */
  onChange: (key: string | null) => void;
  close(): void;
}

/** The side panel with a claim's evidence. Takes the focus when it opens and hands it back when it closes. */
export function createPanel(): Panel {
  const heading = h('h2', { id: 'panel-title', tabindex: '-1' });
  const kind = h('p', { class: 'panel-kind' });
  const content = h('div', { class: 'panel-body' });
  const element = h(
    'aside',
    { class: 'panel', 'aria-labelledby': 'panel-title', hidden: true },
    h(
      'header',
      { class: 'panel-head' },
      h('div', {}, kind, heading),
      h(
        'button',
        {
          type: 'button',
          class: 'tool',
          'aria-label': 'Close',
          title: 'Close (Esc)',
          onclick: () => close(),
        },
        icon('cross'),
      ),
    ),
    content,
  );
  let opener: HTMLElement | null = null;
  let onClose = (): void => {};

  function close(): void {
    if (element.hidden) return;
    element.hidden = true;
    document.body.classList.remove('with-panel');
    panel.onChange(null);
    onClose();
    if (opener?.isConnected) opener.focus();
    opener = null;
  }

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });

  const panel: Panel = {
    element,
    close,
    onChange: () => {},
    show(view, claim) {
      const active = document.activeElement;
      if (active instanceof HTMLElement && !element.contains(active)) opener = active;
      kind.textContent = claim.kind;
      replaceChildren(heading, claim.title);
      replaceChildren(
        content,
        claim.body,
        claim.evidence.length > 0 && [
          h('h3', {}, 'Evidence'),
          h('p', { class: 'hint' }, 'Where anyone with a node can see it, without trusting the service.'),
          evidenceList(view, claim.evidence),
        ],
      );
      element.hidden = false;
      document.body.classList.add('with-panel');
      element.scrollTop = 0;
      onClose = () => view.pin(null);
      view.pin(claim.movements);
      heading.focus({ preventScroll: true });
      panel.onChange(claim.key ?? null);
    },
  };
  return panel;
}
