/**
 * Position of the first item for which `later` holds, in a list sorted so that it holds from there on; the
 * list's length where it never does.
 */
export function lowerBound<T>(list: readonly T[], later: (item: T) => boolean): number {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (later(list[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
