/** Values fetched to authorize requests, until they expire. */
export class TokenCaches {
  /** Google's access tokens, by a hash of the credential. */
  readonly google = new ExpiringCache<string>()
  readonly aws = new ExpiringCache<AwsCredentials>()
  /** Access tokens of Entra ID, by a hash of the credential and the service. */
  readonly azure = new ExpiringCache<string>()

  /** Drops a token that a provider has rejected, so that the next request fetches another. */
  drop(token: string): void {
    this.google.drop(token)
    this.azure.drop(token)
  }
}

export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** Reads `ACCESS_KEY_ID:SECRET_ACCESS_KEY` or `ACCESS_KEY_ID:SECRET_ACCESS_KEY:SESSION_TOKEN`; null for anything else. */
export function parseAccessKey(text: string): AwsCredentials | null {
  const match = /^([A-Z0-9]{16,128}):([A-Za-z0-9/+=]{16,128})(?::([A-Za-z0-9/+=_-]{16,}))?$/.exec(text)
  if (!match?.[1] || !match[2]) return null
  const [, accessKeyId, secretAccessKey, sessionToken] = match
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}

/** An application that is registered with Entra ID. */
export interface EntraSecret {
  /** Its id, or one of its domains. */
  tenant: string
  client: string
  secret: string
}

/** Reads `TENANT_ID:CLIENT_ID:CLIENT_SECRET`; null for anything else. */
export function parseEntraSecret(text: string): EntraSecret | null {
  const match =
    /^([A-Za-z0-9][A-Za-z0-9.-]{0,253}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([\x21-\x7e]{8,})$/i.exec(
      text,
    )
  if (!match?.[1] || !match[2] || !match[3]) return null
  return { tenant: match[1], client: match[2], secret: match[3] }
}

/** A value that is this close to its end is fetched again, or at half its life if that is shorter. */
const REFRESH_BEFORE_MS = 300_000

export interface ExpiringValue<T> {
  value: T
  /** Milliseconds since the epoch. */
  expiresAt: number
}

interface Entry<T> {
  value: Promise<T>
  /** The value and the end of its use; null while it is being fetched. */
  fetched: { value: T; until: number } | null
}

/** Values that expire. Each is fetched once for all callers who wait for it, and again shortly before it expires. */
export class ExpiringCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Rejects as `fetch` does; a failure is not remembered. */
  get(key: string, fetch: () => Promise<ExpiringValue<T>>): Promise<T> {
    const cachedEntry = this.#entries.get(key)
    if (cachedEntry && this.#isFresh(cachedEntry)) return cachedEntry.value
    const fetched = fetch()
    const entry: Entry<T> = { value: fetched.then(({ value }) => value), fetched: null }
    this.#dropExpired()
    this.#entries.set(key, entry)
    fetched.then(
      ({ value, expiresAt }) => {
        const life = expiresAt - this.#now()
        entry.fetched = { value, until: expiresAt - Math.min(REFRESH_BEFORE_MS, life / 2) }
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    return entry.value
  }

  /** Drops a value that is no longer valid, although it has not expired. */
  drop(value: T): void {
    for (const [key, { fetched }] of this.#entries) if (fetched?.value === value) this.#entries.delete(key)
  }

  #isFresh({ fetched }: Entry<T>): boolean {
    return fetched === null || fetched.until > this.#now()
  }

  #dropExpired(): void {
    for (const [key, entry] of this.#entries) if (!this.#isFresh(entry)) this.#entries.delete(key)
  }
}
