import type { Role } from '../../../src/tools/wording/accounts.ts';
import type { Box, Point } from './layout.ts';

const n = (value: number): string => String(Math.round(value * 10) / 10);
const at = (p: Point): string => `${n(p.x)} ${n(p.y)}`;
const between = (a: Point, b: Point, share = 0.5): Point => ({
  x: a.x + (b.x - a.x) * share,
  y: a.y + (b.y - a.y) * share,
});

/** A smooth line that starts and ends at the first and last point (a quadratic spline through the middles). */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined || rest.length === 0) return '';
  if (rest.length === 1) return `M${at(first)} L${at(rest[0]!)}`;
  let path = `M${at(first)}`;
  for (let i = 0; i < rest.length - 1; i++) {
    const end = i === rest.length - 2 ? rest[i + 1]! : between(rest[i]!, rest[i + 1]!);
    path += ` Q${at(rest[i]!)} ${at(end)}`;
  }
  return path;
}

/** Distance of a node's outline from its box on the left or right side, at `down` from -1 (top) to 1. */
export function inset(role: Role, side: 'left' | 'right', down: number, height: number): number {
  const c = corner(height);
  const tip = c * Math.abs(down);
  switch (role) {
    case 'pool':
      return tip;
    case 'router':
      return side === 'right' ? tip : c - tip;
    case 'token_contract':
      return side === 'right' ? (c * (down + 1)) / 2 : (c * (1 - down)) / 2;
    default:
      return 0;
  }
}

const corner = (height: number): number => Math.min(12, height / 2.5);

/** Outline of a node: each part has its own, so that parts never differ by colour alone. */
export function outline(role: Role, { x, y, width, height }: Box): string {
  const [l, r, t, b] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  const poly = (...points: (readonly [number, number])[]): string =>
    `M${points.map(([px, py]) => `${n(px)} ${n(py)}`).join(' L')} Z`;
  const round = (radius: number): string =>
    `M${n(l + radius)} ${n(t)} H${n(r - radius)} A${radius} ${radius} 0 0 1 ${n(r)} ${n(t + radius)} V${n(b - radius)} A${radius} ${radius} 0 0 1 ${n(r - radius)} ${n(b)} H${n(l + radius)} A${radius} ${radius} 0 0 1 ${n(l)} ${n(b - radius)} V${n(t + radius)} A${radius} ${radius} 0 0 1 ${n(l + radius)} ${n(t)} Z`;
  const c = corner(height);
  switch (role) {
    case 'actor':
      return round(Math.min(18, height / 2));
    case 'signer':
      return round(Math.min(26, height / 2));
    case 'pool':
      return poly([l + c, t], [r - c, t], [r, y], [r - c, b], [l + c, b], [l, y]);
    case 'router':
      return poly([l, t], [r - c, t], [r, y], [r - c, b], [l, b], [l + c, y]);
    case 'vault':
      return poly(
        [l + c, t],
        [r - c, t],
        [r, t + c],
        [r, b - c],
        [r - c, b],
        [l + c, b],
        [l, b - c],
        [l, t + c],
      );
    case 'token_contract':
      return poly([l + c, t], [r, t], [r - c, b], [l, b]);
    case 'fee_recipient':
      return poly([l, t], [r - c, t], [r, t + c], [r, b], [l, b]);
    case 'builder':
      return poly([l, t], [r, t], [r, b - c], [r - c, b], [l + c, b], [l, b - c]);
    case 'zero':
      return round(Math.min(26, height / 2));
    default:
      return round(6);
  }
}
