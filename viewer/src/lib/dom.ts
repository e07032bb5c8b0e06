import { isHttps } from './url.ts';

/** Content of an element. Texts become text nodes: HTML is never parsed. */
export type Child = Node | string | number | null | undefined | false | readonly Child[];

/** Attributes, and event listeners under `on…` names. */
export type Props = Readonly<
  Record<string, string | number | boolean | null | undefined | ((event: never) => void)>
>;

const SVG = 'http://www.w3.org/2000/svg';
/** Attributes that can carry script, markup or a request; links go through `link`. */
const REFUSED = /^(style|href|src|srcset|srcdoc|action|formaction|xlink:href)$/i;

function fill(element: Element, props: Props, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else if (REFUSED.test(name) || /^on/i.test(name)) throw new Error(`attribute ${name} is not set here`);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
}

function append(element: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (typeof child === 'string' || typeof child === 'number')
      element.appendChild(document.createTextNode(String(child)));
    else if (child instanceof Node) element.appendChild(child);
    else append(element, child);
  }
}

/** An HTML element. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, props, children);
  return element;
}

/** An SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  fill(element, props, children);
  return element;
}

/** A link to another site, or plain content where the address is not an https one. */
export function link(url: string | null, props: Props, ...children: readonly Child[]): HTMLElement {
  if (url === null || !isHttps(url)) return h('span', { class: 'nolink' }, ...children);
  const element = h('a', { rel: 'noopener noreferrer', target: '_blank', ...props }, ...children);
  element.href = url;
  return element;
}

export function replaceChildren(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren();
  append(element, children);
}
