import { locateHost } from '../../../shared/hosts.ts'
import type { Network } from '../../../shared/network.ts'
import type { UpstreamPool } from '../connection-pool.ts'
import { readText, sendRequest } from '../exchange.ts'
import { toUpstreamFailure } from '../network-failure.ts'
import { Watchdog } from '../watchdog.ts'
import { LOGIN_TIMEOUT_MS, rejectedCredential } from './method.ts'

const CONNECT_TIMEOUT_MS = 10_000
const MAX_TOKEN_BYTES = 1024 * 1024

/**
 * `fetch` for Google's library, with the gateway's own connections: TLS is checked, redirects are not followed, and a proxy
 * is used only where the provider's calls use it. `tokenUrl` replaces the address of the token service.
 */
export function fetchOverPool(
  pool: UpstreamPool,
  network: Network | null | undefined,
  tokenUrl: string | null,
): typeof fetch {
  if (tokenUrl !== null && !isSafe(tokenUrl)) {
    throw rejectedCredential('The "token_uri" of the service account key is not an https address.')
  }
  return async (input, init = {}) => {
    const watchdog = new Watchdog(new AbortController().signal, LOGIN_TIMEOUT_MS)
    try {
      const response = await sendRequest(
        {
          method: init.method === 'POST' ? 'POST' : 'GET',
          url: tokenUrl ?? (input instanceof Request ? input.url : String(input)),
          headers: Object.fromEntries(new Headers(init.headers)),
          body: init.body === undefined || init.body === null ? null : String(init.body),
          connectTimeoutMs: CONNECT_TIMEOUT_MS,
          network: network ?? null,
        },
        pool,
        watchdog,
      )
      const text = await readText(response, MAX_TOKEN_BYTES, watchdog)
      const type = response.headers['content-type'] ?? 'application/json'
      const body = response.status === 204 || response.status === 304 ? null : text
      return new Response(body, { status: response.status, headers: { 'content-type': type } })
    } catch (error) {
      throw toUpstreamFailure(error, watchdog)
    } finally {
      watchdog.dispose()
    }
  }
}

/** Only this machine may be asked without encryption. */
function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && locateHost(hostname) === 'loopback')
}
