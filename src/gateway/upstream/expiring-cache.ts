/** Values fetched to authorize requests, until they expire. */
export class TokenCaches {
  /** Google's access tokens, by a hash of the credential. */
  readonly google = new ExpiringCache<string>()
  readonly aws = new ExpiringCache<AwsCredentials>()
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

/** A value that is this close to its end is fetched again. */
const REFRESH_BEFORE_MS = 120_000

export interface ExpiringValue<T> {
  value: T
  /** Milliseconds since the epoch. */
  expiresAt: number
}

interface Entry<T> {
  value: Promise<T>
  /** Null while the value is being fetched. */
  expiresAt: number | null
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
    const entry: Entry<T> = { value: fetched.then(({ value }) => value), expiresAt: null }
    this.#dropExpired()
    this.#entries.set(key, entry)
    fetched.then(
      ({ expiresAt }) => {
        entry.expiresAt = expiresAt
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    return entry.value
  }

  #isFresh({ expiresAt }: Entry<T>): boolean {
    return expiresAt === null || expiresAt - this.#now() > REFRESH_BEFORE_MS
  }

  #dropExpired(): void {
    for (const [key, entry] of this.#entries) if (!this.#isFresh(entry)) this.#entries.delete(key)
  }
}
