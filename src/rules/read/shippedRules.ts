import { join } from 'node:path';

/** The shipped rules: three levels up from `src/rules/read` and from `dist/rules/read` alike. */
export const SHIPPED_RULES = join(import.meta.dirname, '../../../rules');
