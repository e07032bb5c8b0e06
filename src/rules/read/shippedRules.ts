import { join } from 'node:path';

/**
 * The rules that ship with the service: at the package root, three levels up from `src/rules/read` and
 * `dist/rules/read` alike.
 */
export const SHIPPED_RULES = join(import.meta.dirname, '../../../rules');
