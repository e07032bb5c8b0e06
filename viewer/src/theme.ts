import { h, replaceChildren } from './lib/dom.ts';
import { icon } from './lib/icons.ts';

const KEY = 'txreport-theme';
type Theme = 'light' | 'dark';

const wanted = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

/** Not every context has storage; the choice is then forgotten with the page. */
function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'dark' || value === 'light' ? value : null;
  } catch {
    return null;
  }
}

/** A button between light and dark; until it is used the page follows the system. */
export function themeToggle(): HTMLElement {
  const root = document.documentElement;
  const chosen = stored();
  if (chosen) root.dataset['theme'] = chosen;
  const current = (): Theme => (root.dataset['theme'] as Theme | undefined) ?? wanted();
  const button = h('button', { type: 'button', class: 'tool' });
  const label = (): void => {
    const other = current() === 'dark' ? 'light' : 'dark';
    replaceChildren(button, icon(other === 'dark' ? 'moon' : 'sun'));
    button.setAttribute('aria-label', `Use the ${other} theme`);
    button.title = `Use the ${other} theme`;
  };
  button.addEventListener('click', () => {
    const next = current() === 'dark' ? 'light' : 'dark';
    root.dataset['theme'] = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      /* forgotten with the page */
    }
    label();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', label);
  label();
  return button;
}
