/** Freshness threshold of a source that declares none: Chainlink's ETH/USD heartbeat. */
export const DEFAULT_FRESHNESS_S = 3600;
/** A price older than its threshold is used with a warning for a day more, then refused. */
export const STALE_GRACE_S = 86_400;
/** Two sources further apart than this cannot both be right, and neither can be preferred. */
export const MAX_DEVIATION_BPS = 500n;
/** Below this the source itself doubts its price. */
export const MIN_CONFIDENCE_BPS = 5000;
