import { hash } from 'node:crypto'
import type { Network } from '../../../shared/api/account.ts'
import { locateHost } from '../../../shared/values/hosts.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import { isObject } from '../../formats/json/json.ts'
import type { UpstreamPool } from '../connection-pool.ts'
import type { ExpiringValue } from '../expiring-cache.ts'
import { toUpstreamFailure } from '../network-failure.ts'
import { readText, sendRequest } from '../upstream-response.ts'
import { Watchdog } from '../watchdog.ts'
import { parseServiceAccountKey, type ServiceAccountKey } from './google-key.ts'
import {
  type AuthorizationMethod,
  inTime,
  LOGIN_TIMEOUT_MS,
  rejectedCredential,
  unavailableCredential,
} from './method.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
/** Google's tokens last an hour; used for a login that does not say when its token ends. */
const ASSUMED_LIFE_MS = 1_800_000

export const serviceAccount: AuthorizationMethod = async ({ network }, credential, pool) => {
  const key = parseServiceAccountKey(credential ?? '')
  if (!key) throw rejectedCredential('The credential is not the JSON of a Google service account key.')
  const id = hash('sha256', JSON.stringify(key))
  return toHeaders(await pool.tokenCaches.google.get(id, () => exchangeKey(key, pool, network)))
}

export const googleLogin: AuthorizationMethod = async ({ url, network }, _credential, pool) => {
  // The login may do more than call models, so its token is sent to Google alone.
  if (!isGoogle(new URL(url).hostname)) {
    throw rejectedCredential(
      'The Google login of this machine is only sent to addresses under googleapis.com. Use a service account key for others.',
    )
  }
  return toHeaders(await pool.tokenCaches.google.get('login', () => readLogin(pool, network)))
}

function isGoogle(hostname: string): boolean {
  return hostname.endsWith('.googleapis.com') || locateHost(hostname) === 'loopback'
}

function toHeaders(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

async function exchangeKey(
  key: ServiceAccountKey,
  pool: UpstreamPool,
  network: Network | null | undefined,
): Promise<ExpiringValue<string>> {
  const { JWT } = await import('google-auth-library')
  const client = new JWT({
    email: key.client_email,
    key: key.private_key,
    ...(key.private_key_id !== undefined && { keyId: key.private_key_id }),
    scopes: [SCOPE],
    transporterOptions: {
      fetchImplementation: fetchOverPool(pool, network, key.token_uri ?? null),
      retry: false,
    },
  })
  return await requestToken(client, 'key')
}

/** Application default credentials: what `gcloud auth application-default login` or the machine's role provides. */
async function readLogin(
  pool: UpstreamPool,
  network: Network | null | undefined,
): Promise<ExpiringValue<string>> {
  const { GoogleAuth } = await import('google-auth-library')
  const transporterOptions = { fetchImplementation: fetchOverPool(pool, network, null), retry: false }
  // Without a project, the library would look for one by the gcloud command and at the network's metadata server.
  const auth = new GoogleAuth({
    projectId: 'not needed',
    scopes: [SCOPE],
    clientOptions: { transporterOptions },
  })
  const client = await inTime(auth.getClient()).catch((error: unknown) => {
    throw googleFailure(error, 'login')
  })
  return await requestToken(client, 'login')
}

interface TokenClient {
  getAccessToken(): Promise<{ token?: string | null | undefined }>
  credentials: { expiry_date?: number | null | undefined }
}

async function requestToken(client: TokenClient, kind: 'key' | 'login'): Promise<ExpiringValue<string>> {
  const { token } = await inTime(client.getAccessToken()).catch((error: unknown) => {
    throw googleFailure(error, kind)
  })
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw rejectedCredential('Google issued no access token for the credential.')
  }
  return { value: token, expiresAt: client.credentials.expiry_date ?? Date.now() + ASSUMED_LIFE_MS }
}

const SIGN_IN = 'Sign in with "gcloud auth application-default login".'

/**
 * The failure for what Google's library throws. Of its messages only the token service's own error is shown: the rest can
 * contain addresses.
 */
function googleFailure(error: unknown, kind: 'key' | 'login'): UpstreamFailure {
  const answer = readAnswer(error)
  const advice = kind === 'login' ? SIGN_IN : 'Check that the key was not deleted, and enter it again.'
  if (answer && answer.status < 500 && answer.status !== 429) {
    const detail = answer.detail === '' ? `status ${answer.status}` : answer.detail
    return rejectedCredential(`Google rejected the ${getName(kind)} (${detail}). ${advice}`)
  }
  if (answer) {
    return unavailableCredential(
      `Google's token service answered with status ${answer.status}. Try again later.`,
    )
  }
  if (failureIn(error)) {
    return unavailableCredential(`Google's token service could not be reached to use the ${getName(kind)}.`)
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return unavailableCredential(`Google's token service did not answer in time.`)
  }
  return kind === 'login'
    ? rejectedCredential(`No Google login was found on this machine. ${SIGN_IN}`)
    : rejectedCredential(
        'Google issued no access token for the service account key. Check the key, and enter it again.',
      )
}

function getName(kind: 'key' | 'login'): string {
  return kind === 'login' ? 'login of this machine' : 'service account key'
}

/** The failure of the connection, which the library wraps. */
function failureIn(error: unknown): UpstreamFailure | null {
  if (error instanceof UpstreamFailure) return error
  return error instanceof Error && error.cause !== undefined ? failureIn(error.cause) : null
}

function readAnswer(error: unknown): { status: number; detail: string } | null {
  if (!(error instanceof Error) || !('response' in error) || !isObject(error.response)) return null
  const { status, data } = error.response
  if (typeof status !== 'number') return null
  const parts = isObject(data) ? [data.error, data.error_description] : []
  const detail = parts.filter((part) => typeof part === 'string').join(', ')
  return { status, detail: detail.slice(0, 300).replace(/\.$/, '') }
}

const CONNECT_TIMEOUT_MS = 10_000
const MAX_TOKEN_BYTES = 1024 * 1024

/**
 * `fetch` for Google's library, with the gateway's own connections: TLS is checked, redirects are not followed, and a proxy
 * is used only where the provider's calls use it. `tokenUrl` replaces the address of the token service.
 */
function fetchOverPool(
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
