/** Entries of a comma-separated list, trimmed; empty ones are left out. */
export function splitList(list: string | undefined): string[] {
  return (list ?? '').split(',').flatMap((part) => part.trim() || []);
}
