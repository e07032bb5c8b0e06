/** `word`, with the known word that it is likely a slip of. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const near = nearest(word, known);
  return near === null ? word : `${word} (did you mean ${near}?)`;
}

/** ` (did you mean …?)`, or nothing. */
export function hintFor(word: string, known: Iterable<string>): string {
  return didYouMean(word, known).slice(word.length);
}

/** The name at the smallest edit distance, if it is close enough to be a slip. */
function nearest(name: string, names: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(name.length / 4)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Optimal string alignment: letters left out, added, changed, or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const least = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(swapped ? Math.min(least, before[j - 2]! + 1) : least);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
