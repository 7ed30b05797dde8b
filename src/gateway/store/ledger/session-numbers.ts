// Sessions have long ids, so rows of requests have the number of their session. This finds the number of an id, and the
// other way round, for one connection.
import type { SessionSource } from '../../../shared/api/sessions.ts'
import { type Db, perConnection, type SqlValue, statement } from '../engine/statement.ts'

// Texts that occur in many rows: model names, clients, prices. Each is stored once, and rows have its number instead.

/** Further texts are stored in the rows, so that clients with ever new names do not fill the table. */
const MAX_TEXTS = 50_000
const MAX_LENGTH = 4_096
const MAX_CACHED = 5_000

/** Adds to a cache, which is emptied when it is full. */
function remember<K, V>(cache: Map<K, V>, key: K, value: V): V {
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, value)
  return value
}

const byText = statement<[string], { nr: number }>('SELECT nr FROM texts WHERE text = ?')
const byNumber = statement<[SqlValue], { text: string }>('SELECT text FROM texts WHERE nr = ?')
const insert = statement<[string, number]>(
  'INSERT INTO texts (text) SELECT ? WHERE (SELECT ifnull(max(nr), 0) FROM texts) < ?',
)

/**
 * The texts of one connection. Numbers are bigints when they are bound, because better-sqlite3 binds other numbers as
 * REAL, which a column of type ANY would keep.
 */
export class Texts {
  readonly #db: Db
  readonly #numbers = new Map<string, bigint>()
  readonly #texts = new Map<SqlValue, string>()

  constructor(db: Db) {
    this.#db = db
  }

  /** Returns the stored form of a text: its number, which a new text gets now; or the text itself. */
  put(text: string): bigint | string {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    if (text.length > MAX_LENGTH) return text
    const found = this.find(text)
    if (typeof found === 'bigint') return found
    if (insert(this.#db).run(text, MAX_TEXTS).changes === 0) return text
    return this.find(text)
  }

  /** Returns the stored form of a text that is in some row. Adds nothing. */
  find(text: string): bigint | string {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const row = text.length > MAX_LENGTH ? undefined : byText(this.#db).get(text)
    if (!row) return text
    return remember(this.#numbers, text, BigInt(row.nr))
  }

  getText(stored: SqlValue): string {
    if (typeof stored === 'string') return stored
    const known = this.#texts.get(stored)
    if (known !== undefined) return known
    const text = byNumber(this.#db).get(stored)?.text
    if (text === undefined) throw new Error(`the table of texts has no number ${String(stored)}`)
    return remember(this.#texts, stored, text)
  }

  /** The text of a stored value; '' for NULL. */
  getName(stored: SqlValue): string {
    return stored === null ? '' : this.getText(stored)
  }

  /** The text of a stored value; null for NULL. */
  getOptional(stored: SqlValue): string | null {
    return stored === null ? null : this.getText(stored)
  }

  /** To be called after a rollback, which may have removed texts that were new. */
  forget(): void {
    this.#numbers.clear()
    this.#texts.clear()
  }
}

export const getTexts = perConnection((db) => new Texts(db))

/** The facts known of a session when its first request arrives. */
export interface NewSession {
  /** `ses_` and 32 hexadecimal digits. */
  id: string
  source: SessionSource
  /** The client's own id of the session; null for one without. */
  clientSessionId: string | null
  keyId: string
  /** The name of the calling program; '' for none. */
  clientName: string
}

/** They are in databases: none may change. */
export const SOURCE_CODES: Readonly<Record<SessionSource, number>> = {
  pause: 0,
  header: 1,
  'claude-code': 2,
  codex: 3,
  opencode: 4,
  metadata: 5,
  user: 6,
}

const byId = statement<[Uint8Array], { nr: number }>('SELECT nr FROM sessions WHERE id = ?')
const sessionByNumber = statement<[SqlValue], { id: Uint8Array }>('SELECT id FROM sessions WHERE nr = ?')
const insertSession = statement<SqlValue[]>(`
  INSERT INTO sessions (id, source, client_session_id, key_id, client, started_at, last_at, last_hour)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
const putHour = statement<[number, SqlValue, number]>(
  'UPDATE sessions SET last_hour = ? WHERE nr = ? AND last_hour < ?',
)

const HOUR_MS = 60 * 60_000

/** The unit of `last_hour`, which has an index. */
export function getHour(at: number): number {
  return Math.floor(at / HOUR_MS)
}

/** Numbers are bigints when they are bound, because better-sqlite3 binds other numbers as REAL. */
export class SessionNumbers {
  readonly #db: Db
  readonly #numbers = new Map<string, bigint>()
  readonly #ids = new Map<SqlValue, string>()
  readonly #lastHours = new Map<SqlValue, number>()

  constructor(db: Db) {
    this.#db = db
  }

  /** To be called with each change of `last_at`. Writes only when an hour has begun since. */
  noteActivity(nr: SqlValue, at: number): void {
    const hour = getHour(at)
    if ((this.#lastHours.get(nr) ?? -1) >= hour) return
    putHour(this.#db).run(hour, nr, hour)
    remember(this.#lastHours, nr, hour)
  }

  /** The number of a session, which is inserted if it is new. */
  put({ id, source, clientSessionId, keyId, clientName }: NewSession, startedAt: number): bigint {
    const known = this.find(id)
    if (known !== null) return known
    const texts = getTexts(this.#db)
    const named = [clientSessionId, texts.put(keyId), texts.put(clientName)]
    const times = [startedAt, startedAt, getHour(startedAt)]
    const code = BigInt(SOURCE_CODES[source])
    const { lastInsertRowid } = insertSession(this.#db).run(encodeSessionId(id), code, ...named, ...times)
    return remember(this.#numbers, id, BigInt(lastInsertRowid))
  }

  /** The number of a session; null for none, and for an unknown one. */
  find(id: string | null | undefined): bigint | null {
    if (!id) return null
    const known = this.#numbers.get(id)
    if (known !== undefined) return known
    const found = byId(this.#db).get(encodeSessionId(id))
    return found ? remember(this.#numbers, id, BigInt(found.nr)) : null
  }

  /** The id of a number that a row has; null if the session was deleted. */
  getId(nr: SqlValue): string | null {
    const known = this.#ids.get(nr)
    if (known !== undefined) return known
    const found = sessionByNumber(this.#db).get(nr)
    if (!found) return null
    return remember(this.#ids, nr, decodeSessionId(found.id))
  }

  /** To be called after a rollback or a deletion of sessions. */
  forget(): void {
    this.#numbers.clear()
    this.#ids.clear()
    this.#lastHours.clear()
  }
}

const SESSION_ID = /^ses_[0-9a-f]{32}$/

/** No bytes for a text that is no id: no session has it. */
function encodeSessionId(id: string): Uint8Array {
  return SESSION_ID.test(id) ? Buffer.from(id.slice(4), 'hex') : new Uint8Array()
}

export function decodeSessionId(stored: Uint8Array): string {
  return `ses_${Buffer.from(stored).toString('hex')}`
}

export const getSessionNumbers = perConnection((db) => new SessionNumbers(db))
