// Faults on the way through a proxy, and their remedies. No sentence has the proxy's address: clients read them.
import type { IncomingHttpHeaders } from 'node:http'
import { errors } from 'undici'
import { UpstreamFailure } from '../../formats/chat/failure.ts'

export function proxyFailure(message: string): UpstreamFailure {
  return new UpstreamFailure({ kind: 'network', reason: 'proxy', message, sent: false })
}

/** Codes of a certificate whose chain ends at an authority that is not trusted. */
const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

export function isUnknownAuthority(code: string): boolean {
  return UNKNOWN_AUTHORITY.has(code)
}

/** The error for a connection that trusts the system's authorities; `whose` is the provider's or the proxy's. */
export function unknownAuthority(code: string, whose: 'provider' | 'proxy'): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'network',
    reason: 'certificate',
    message: `The ${whose}'s TLS certificate is from an authority that this computer does not trust (${code}). Add your company's certificate to the system's store, or name its file in NODE_EXTRA_CA_CERTS, and restart Tollgate.`,
    sent: false,
  })
}

/** The answer of an HTTP proxy to CONNECT, other than 200. */
export function connectRefusal(
  status: number,
  headers: IncomingHttpHeaders,
  { source, hasPassword }: { source: string; hasPassword: boolean },
): UpstreamFailure {
  if (status === 407) return proxyFailure(describeSignIn(headers, source, hasPassword))
  if (status === 403 || status === 405)
    return proxyFailure(
      `The proxy does not allow a connection to the provider (${status}). Ask those who run the proxy to allow its address.`,
    )
  if (status >= 500)
    return proxyFailure(
      `The proxy could not connect to the provider (${status}). Try again later, and check the base URL.`,
    )
  return proxyFailure(`The proxy answered with ${status}. Check that ${source} names a proxy.`)
}

function describeSignIn(headers: IncomingHttpHeaders, source: string, hasPassword: boolean): string {
  const offered = String(headers['proxy-authenticate'] ?? '')
  if (offered !== '' && !/\bbasic\b/i.test(offered))
    return 'The proxy requires a sign-in that Tollgate does not support, such as NTLM or Kerberos (407). Run a local proxy that signs in for you, and set HTTPS_PROXY to its address.'
  return hasPassword
    ? `The proxy rejected the user name and password in ${source} (407). Correct them, and restart Tollgate.`
    : 'The proxy requires a user name and a password (407). Set HTTPS_PROXY to the URL of the proxy with both in it, and restart Tollgate.'
}

const CONNECT_FAILURES: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'refused the connection'],
  ['ENOTFOUND', 'has a name that could not be resolved'],
  ['EAI_AGAIN', 'has a name that could not be resolved'],
  ['EHOSTUNREACH', 'cannot be reached from this network'],
  ['ENETUNREACH', 'cannot be reached from this network'],
  ['ECONNRESET', 'closed the connection'],
  ['UND_ERR_SOCKET', 'closed the connection'],
  ['EPIPE', 'closed the connection'],
])

/** The failure for an error of the network between here and a proxy. Any other error is a defect of this program, and stays. */
export function toProxyFailure(error: unknown, source: string): unknown {
  if (error instanceof UpstreamFailure || error instanceof TypeError) return error
  const code = findCode(error)
  if (isUnknownAuthority(code)) return unknownAuthority(code, 'proxy')
  const isTimeout = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
  if (isTimeout || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return new UpstreamFailure({
      kind: 'timeout',
      reason: 'proxy',
      message: `The proxy did not answer in time. Check its address: ${source}.`,
      sent: false,
    })
  const isHttp = !(error instanceof errors.HTTPParserError)
  if (isHttp && code === '') return error
  const what = isHttp ? CONNECT_FAILURES.get(code) : 'did not answer in proper HTTP'
  return proxyFailure(`The proxy ${what ?? `could not be used (${code})`}. Check its address: ${source}.`)
}

/** The code of a system error; those of happy eyeballs come as a group. */
export function findCode(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : ''
}
