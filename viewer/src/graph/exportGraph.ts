import { h } from '../lib/dom.ts';

/** Properties that carry the look of a shape or text into a file of its own. */
const SHAPE = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity'] as const;
const SVG = 'http://www.w3.org/2000/svg';
/** Pixels per unit of a PNG. */
const SHARP = 2;

interface Drawn {
  readonly element: HTMLElement;
  readonly width: number;
  readonly height: number;
}

/** The graph as a standalone SVG: shapes with their computed look, labels as text. */
function standaloneSvg({ element, width, height }: Drawn): string {
  const source = element.querySelector('svg')!;
  const copy = source.cloneNode(true) as SVGElement;
  const [from, to] = [source, copy].map((svg) => [...svg.querySelectorAll<SVGElement>('path')]);
  from!.forEach((path, i) => {
    const look = getComputedStyle(path);
    for (const name of SHAPE) to![i]!.setAttribute(name, look.getPropertyValue(name));
  });
  for (const reach of copy.querySelectorAll('.reach')) reach.remove();
  const background = make('rect', { width, height, fill: getComputedStyle(document.body).backgroundColor });
  copy.prepend(background);
  copy.setAttribute('xmlns', SVG);
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  for (const button of element.querySelectorAll<HTMLElement>('.node-card, .edge-label'))
    copy.append(...labelOf(button));
  return new XMLSerializer().serializeToString(copy);
}

/** The visible texts of a node or an edge, each line centred where the page shows it. */
function labelOf(button: HTMLElement): SVGElement[] {
  const parts: SVGElement[] = [];
  const [left, top] = [button.offsetLeft, button.offsetTop];
  if (button.classList.contains('edge-label')) {
    const look = getComputedStyle(button);
    parts.push(
      make('rect', {
        x: left,
        y: top,
        width: button.offsetWidth,
        height: button.offsetHeight,
        rx: 9,
        fill: look.backgroundColor,
        stroke: look.borderTopColor,
      }),
    );
  }
  for (const line of button.querySelectorAll<HTMLElement>(
    '.step, .edge-lines bdi, .mark, .node-part, .node-name, .node-net',
  )) {
    const words = [...line.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const look = getComputedStyle(line);
    const place = placeWithin(line, button);
    const text = make('text', {
      x: left + place.x,
      y: top + place.y,
      fill: look.color,
      'font-family': look.fontFamily,
      'font-size': look.fontSize,
      'font-weight': look.fontWeight,
      'text-anchor': 'middle',
      'dominant-baseline': 'central',
    });
    text.textContent = words
      .map((node) => node.textContent)
      .join('')
      .trim();
    parts.push(text);
  }
  return parts;
}

/** The middle of an element in its button's own pixels, at any zoom. */
function placeWithin(line: HTMLElement, button: HTMLElement): { x: number; y: number } {
  const [inner, outer] = [line.getBoundingClientRect(), button.getBoundingClientRect()];
  const zoom = outer.width / button.offsetWidth || 1;
  return {
    x: (inner.left + inner.width / 2 - outer.left) / zoom,
    y: (inner.top + inner.height / 2 - outer.top) / zoom,
  };
}

function make(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

export function saveSvg(drawn: Drawn, name: string): void {
  save(new Blob([standaloneSvg(drawn)], { type: 'image/svg+xml' }), `${name}.svg`);
}

export async function savePng(drawn: Drawn, name: string): Promise<void> {
  const image = new Image();
  // The page's policy allows images from data addresses only.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standaloneSvg(drawn))}`;
  await image.decode();
  const canvas = h('canvas', { width: drawn.width * SHARP, height: drawn.height * SHARP });
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(SHARP, SHARP);
  context.drawImage(image, 0, 0, drawn.width, drawn.height);
  canvas.toBlob((blob) => blob && save(blob, `${name}.png`));
}

/** Offers a file for download. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const anchor = h('a', { download: name });
  anchor.href = url;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
