import { createHash } from 'node:crypto'
import type { SessionSource } from '../../shared/sessions.ts'
import type { NewSession, RecentSession } from '../store/store.ts'
import { clientName } from '../store/sums/client-name.ts'
import { readSession, type Sent, type SentSession } from './session-sources.ts'

/** After a pause of this length, requests that name no session begin a new one. */
export const PAUSE_MS = 30 * 60_000

const MAX_REMEMBERED = 10_000
const ID_DIGITS = 32

/** A session that had a request a short time ago. */
export class LiveSession {
  readonly id: string
  /** What the store needs to record it. */
  readonly stored: NewSession
  /** Epoch milliseconds of the last sign of life. */
  #lastAt: number
  /** Requests that are not over. */
  #running = 0

  constructor(stored: NewSession, lastAt: number) {
    this.id = stored.id
    this.stored = stored
    this.#lastAt = lastAt
  }

  /** There is no pause as long as a request is running. */
  hasPaused(now: number): boolean {
    return this.#running === 0 && now - this.#lastAt > PAUSE_MS
  }

  touch(now: number): void {
    this.#lastAt = now
  }

  beginRequest(): void {
    this.#running += 1
  }

  endRequest(now: number): void {
    this.#running -= 1
    this.#lastAt = now
  }
}

const BY_PAUSE: Omit<SentSession, 'value'> = { source: 'pause', isLasting: true }

interface Caller {
  keyId: string
  headers: Sent['headers']
  body: Sent['body']
  /** How the client describes itself. */
  client: string | null
}

/**
 * Finds the session of each request, in memory. A session that a client names is found by its name; others go on until
 * the key and client have made no request for half an hour, also across a restart.
 */
export class LiveSessions {
  /** By key, source and name, in the order in which they were first seen. */
  readonly #byName = new Map<string, LiveSession>()

  /** `recent`: those that a pause has not ended yet. */
  constructor(recent: readonly RecentSession[]) {
    for (const { lastAt, ...stored } of recent) {
      const { keyId, source, clientName, clientSessionId } = stored
      const name = nameOf({ keyId, source, value: clientSessionId ?? clientName })
      this.#byName.set(name, new LiveSession(stored, lastAt))
    }
  }

  /** The session of a request that comes now. Throws 400 for an invalid header. */
  enter({ keyId, headers, body, client }: Caller, now: number): LiveSession {
    const program = clientName(client)
    const sent = readSession({ headers, body, clientName: program })
    const { source, value, isLasting } = sent ?? { ...BY_PAUSE, value: program }
    const name = nameOf({ keyId, source, value })
    const known = this.#byName.get(name)
    if (known && !(isLasting && known.hasPaused(now))) {
      known.touch(now)
      return known
    }
    const id = sessionIdOf({ keyId, source, value }, isLasting ? now : undefined)
    const clientSessionId = sent ? value : null
    const session = new LiveSession({ id, source, clientSessionId, keyId, clientName: program }, now)
    // To its end, so that the oldest are removed first.
    this.#byName.delete(name)
    this.#byName.set(name, session)
    if (this.#byName.size > MAX_REMEMBERED) this.#forgetOld(now)
    return session
  }

  /** Sessions that a client names are found again by their name. */
  #forgetOld(now: number): void {
    for (const [name, session] of this.#byName) {
      if (this.#byName.size <= MAX_REMEMBERED / 2) return
      if (session.stored.source !== 'pause' || session.hasPaused(now)) this.#byName.delete(name)
    }
  }
}

interface Named {
  keyId: string
  source: SessionSource
  value: string
}

function nameOf({ keyId, source, value }: Named): string {
  return `${keyId}\n${source}\n${value}`
}

/** The id of a session. `startedAt`: of one that a pause ends. */
export function sessionIdOf(named: Named, startedAt?: number): string {
  const name = nameOf(named)
  return hashOf(startedAt === undefined ? name : `${name}\n${startedAt}`)
}

function hashOf(name: string): string {
  return `ses_${createHash('sha256').update(name).digest('hex').slice(0, ID_DIGITS)}`
}
