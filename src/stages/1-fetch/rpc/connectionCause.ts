/** Why no answer came: a word for log, metrics and `doctor`, and its meaning. */
export const CONNECTION_CAUSES = {
  dns: 'the host name is not found',
  refused: 'the connection is refused',
  reset: 'the connection is closed before an answer',
  no_route: 'there is no route to the host',
  connect_timeout: 'no connection in time',
  tls_unknown_authority: 'the certificate is signed by an unknown authority',
  tls_expired: 'the certificate has expired, or is not valid yet',
  tls_wrong_name: 'the certificate is for another host name',
  tls: 'TLS fails: perhaps the port speaks plain HTTP',
  redirect: 'the address redirects, which is not followed: it would carry the key elsewhere',
  other: 'the connection fails',
} as const;

export type ConnectionCause = keyof typeof CONNECTION_CAUSES;

/** Codes of Node.js, OpenSSL and undici. */
const BY_CODE: Readonly<Record<string, ConnectionCause>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  EHOSTUNREACH: 'no_route',
  ENETUNREACH: 'no_route',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_unknown_authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_unknown_authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_unknown_authority',
};

/** The cause of a failed connection, from its error code alone: messages hold addresses. */
export function connectionCause(error: Error & { readonly code?: unknown }): ConnectionCause {
  const { code } = error;
  if (typeof code !== 'string') return 'other';
  return BY_CODE[code] ?? (/^(ERR_SSL_|EPROTO)/.test(code) ? 'tls' : 'other');
}
