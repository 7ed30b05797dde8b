// Texts that occur in many rows: model names, clients, prices. Each is stored once, and rows have its number instead.
import { type Db, type SqlValue, statement } from '../engine/statement.ts'

/** Further texts are stored in the rows, so that clients with ever new names do not fill the table. */
const MAX_TEXTS = 50_000
const MAX_LENGTH = 4_096
const MAX_CACHED = 5_000

const byText = statement<[string], { nr: number }>('SELECT nr FROM texts WHERE text = ?')
const byNumber = statement<[SqlValue], { text: string }>('SELECT text FROM texts WHERE nr = ?')
const insert = statement<[string, number]>(
  'INSERT INTO texts (text) SELECT ? WHERE (SELECT ifnull(max(nr), 0) FROM texts) < ?',
)

/**
 * The texts of one connection. Numbers are bigints when they are bound, because better-sqlite3 binds other numbers as
 * REAL, which a column of type ANY would keep.
 */
class Texts {
  readonly #db: Db
  readonly #numbers = new Map<string, bigint>()
  readonly #texts = new Map<SqlValue, string>()

  constructor(db: Db) {
    this.#db = db
  }

  /** What is stored for a text: its number, which a new text gets now; or the text itself. */
  put(text: string): bigint | string {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    if (text.length > MAX_LENGTH) return text
    const found = this.find(text)
    if (typeof found === 'bigint') return found
    if (insert(this.#db).run(text, MAX_TEXTS).changes === 0) return text
    return this.find(text)
  }

  /** What is stored for a text that is in some row. Adds nothing. */
  find(text: string): bigint | string {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const row = text.length > MAX_LENGTH ? undefined : byText(this.#db).get(text)
    if (!row) return text
    const number = BigInt(row.nr)
    if (this.#numbers.size >= MAX_CACHED) this.#numbers.clear()
    this.#numbers.set(text, number)
    return number
  }

  /** The text of a stored value. */
  textOf(stored: SqlValue): string {
    if (typeof stored === 'string') return stored
    const known = this.#texts.get(stored)
    if (known !== undefined) return known
    const text = byNumber(this.#db).get(stored)?.text
    if (text === undefined) throw new Error(`the table of texts has no number ${String(stored)}`)
    if (this.#texts.size >= MAX_CACHED) this.#texts.clear()
    this.#texts.set(stored, text)
    return text
  }

  forget(): void {
    this.#numbers.clear()
    this.#texts.clear()
  }
}

export type { Texts }

const connections = new WeakMap<Db, Texts>()

export function textsOf(db: Db): Texts {
  let texts = connections.get(db)
  if (!texts) {
    texts = new Texts(db)
    connections.set(db, texts)
  }
  return texts
}

/** To be called after a rollback, which may have removed texts that were new. */
export function forgetTexts(db: Db): void {
  connections.get(db)?.forget()
}
