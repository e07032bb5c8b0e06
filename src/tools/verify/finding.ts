/** One claim of a report that the node's answers do not bear out. */
export interface Finding {
  /** The rule that was broken, e.g. `evidence`, `movement`, `delta`. */
  readonly check: string;
  /** Where in the report, as a JSON pointer (RFC 6901). */
  readonly at: string;
  readonly message: string;
}

export type Report = (check: string, at: string, message: string) => void;
