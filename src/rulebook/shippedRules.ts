import { join } from 'node:path';

/** The rules that ship with the service: at the package root, two levels up from `src/rulebook` and `dist/rulebook` alike. */
export const SHIPPED_RULES = join(import.meta.dirname, '../../rules');
