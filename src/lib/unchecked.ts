/** Headers with a hash that could not be recomputed, since the start of the process: for the metric. */
export const unchecked = { headers: 0 };
