import { createHash } from 'node:crypto'
import { locateHost } from '../../../shared/hosts.ts'
import type { Network } from '../../../shared/network.ts'
import type { UpstreamPool } from '../connection-pool.ts'
import type { Expiring } from './expiring-cache.ts'
import { googleFailure } from './google-failure.ts'
import { fetchOverPool } from './google-fetch.ts'
import { parseServiceAccountKey, type ServiceAccountKey } from './google-key.ts'
import { type AuthorizationMethod, inTime, rejectedCredential } from './method.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
/** Google's tokens last an hour; used for a login that does not say when its token ends. */
const ASSUMED_LIFE_MS = 1_800_000

export const serviceAccount: AuthorizationMethod = async ({ network }, credential, pool) => {
  const key = parseServiceAccountKey(credential ?? '')
  if (!key) throw rejectedCredential('The credential is not the JSON of a Google service account key.')
  const id = createHash('sha256').update(JSON.stringify(key)).digest('hex')
  return toHeaders(await pool.logins.google.get(id, () => exchangeKey(key, pool, network)))
}

export const googleLogin: AuthorizationMethod = async ({ url, network }, _credential, pool) => {
  // The login may do more than call models, so its token is sent to Google alone.
  if (!isGoogle(new URL(url).hostname)) {
    throw rejectedCredential(
      'The Google login of this machine is only sent to addresses under googleapis.com. Use a service account key for others.',
    )
  }
  return toHeaders(await pool.logins.google.get('login', () => readLogin(pool, network)))
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
): Promise<Expiring<string>> {
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
  return await tokenOf(client, 'key')
}

/** Application default credentials: what `gcloud auth application-default login` or the machine's role provides. */
async function readLogin(pool: UpstreamPool, network: Network | null | undefined): Promise<Expiring<string>> {
  const { GoogleAuth } = await import('google-auth-library')
  const transporterOptions = { fetchImplementation: fetchOverPool(pool, network, null), retry: false }
  const auth = new GoogleAuth({ scopes: [SCOPE], clientOptions: { transporterOptions } })
  const client = await inTime(auth.getClient()).catch((error: unknown) => {
    throw googleFailure(error, 'login')
  })
  return await tokenOf(client, 'login')
}

interface TokenClient {
  getAccessToken(): Promise<{ token?: string | null | undefined }>
  credentials: { expiry_date?: number | null | undefined }
}

async function tokenOf(client: TokenClient, kind: 'key' | 'login'): Promise<Expiring<string>> {
  const { token } = await inTime(client.getAccessToken()).catch((error: unknown) => {
    throw googleFailure(error, kind)
  })
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw rejectedCredential('Google issued no access token for the credential.')
  }
  return { value: token, expiresAt: client.credentials.expiry_date ?? Date.now() + ASSUMED_LIFE_MS }
}
