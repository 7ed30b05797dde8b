// A file of a provider as entries that can be compared with the request log.
import { NANO_PER_USD } from '../../../shared/money/money.ts'
import { type ExportFormat, findFormat } from './formats.ts'
import { ExportError, type Row, readRows } from './read-rows.ts'

/** A request, or all of a day, as an export or the request log has it. Null for what is not in it. */
export interface Entry {
  /** Milliseconds since 1970. */
  at: number
  model: string | null
  requests: number | null
  tokensIn: number | null
  tokensOut: number | null
  /** Nano-dollars, not rounded. */
  costNano: number | null
  /** How much `costNano` can differ because of its rounding. */
  error: number
}

export interface ExportEntry extends Entry {
  /** Its line in the file. */
  row: number
}

interface Export {
  format: ExportFormat
  /** In the order of their time. */
  entries: ExportEntry[]
  /** Sentences about rows that were left out. */
  notes: string[]
}

/** Throws ExportError for a file of another kind, and for a value that cannot be read, with its place. */
export function readExport(bytes: Uint8Array): Export {
  let format: ExportFormat | null = null
  let undated = 0
  const entries: ExportEntry[] = []
  readRows(bytes, (row) => {
    format ??= requireFormat(row)
    if (!row.cells[format.time]) {
      undated += 1
      return
    }
    const entry = new RowReader(row, format).read()
    if (entry) entries.push(entry)
  })
  if (format === null || entries.length === 0) throw new ExportError('The export has no usage in its period.')
  return {
    format,
    entries: entries.sort((a, b) => a.at - b.at),
    notes: undated === 0 ? [] : [`Rows without a date, such as totals, were left out: ${undated}.`],
  }
}

function requireFormat({ cells }: Row): ExportFormat {
  const format = findFormat(cells)
  if (format) return format
  throw new ExportError(
    'This is not an export that Tollgate reads. Choose the usage or costs of OpenAI or Anthropic, or the activity of OpenRouter, as CSV or JSON.',
  )
}

class RowReader {
  readonly #row: Row
  readonly #format: ExportFormat

  constructor(row: Row, format: ExportFormat) {
    this.#row = row
    this.#format = format
  }

  /** Null for a row without usage. Throws ExportError for a value that cannot be read. */
  read(): ExportEntry | null {
    const { time, model, requests, input = [], output, cost, currency, counted } = this.#format
    const named = this.#text(model).split(',')[0] || null
    const isEmpty = [requests, cost, output, ...input].every((column) => this.#text(column) === '')
    if (isEmpty && named === null) return null
    if (!/^(usd)?$/i.test(this.#text(currency))) throw this.#refuse(currency, 'USD, in which Tollgate counts')
    return {
      row: this.#row.nr,
      at: readMoment(this.#text(time)) ?? this.#fail(time, 'a date such as 2026-04-03'),
      model: named,
      requests: counted === 'request' ? 1 : this.#count(requests),
      tokensIn: this.#count(...input),
      tokensOut: this.#count(output),
      ...this.#readCost(),
    }
  }

  #readCost(): Pick<Entry, 'costNano' | 'error'> {
    const { cost, costUnit, counted } = this.#format
    const text = this.#text(cost)
    if (text === '') return { costNano: null, error: 0 }
    const { nano, error } = readAmount(text) ?? this.#fail(cost, 'an amount in USD')
    if (nano < 0 && counted === 'request') throw this.#refuse(cost, 'a cost: it is negative')
    const divisor = costUnit === 'cents' ? 100 : 1
    return { costNano: nano / divisor, error: error / divisor }
  }

  /** The sum of the columns; null if all are empty. */
  #count(...columns: (string | undefined)[]): number | null {
    const counts = columns
      .filter((column) => this.#text(column) !== '')
      .map((column) => readCount(this.#text(column)) ?? this.#fail(column, 'a whole number'))
    return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0)
  }

  #text(column: string | undefined): string {
    return column === undefined ? '' : (this.#row.cells[column] ?? '')
  }

  #fail(column: string | undefined, what: string): never {
    throw this.#refuse(column, what)
  }

  #refuse(column: string | undefined, what: string): ExportError {
    const text = this.#text(column)
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
    return new ExportError(`Row ${this.#row.nr}, column “${column}”: “${shown}” is not ${what}.`)
  }
}

const CENT_PLACES = 2
const MAX_LENGTH = 60
/** `1234.5`, `1e-05`, `-3`. */
const NUMBER = /^-?\d+(?:\.(\d*))?(?:e([+-]?\d{1,2}))?$/i

/**
 * Nano-dollars, not rounded, and half of what the last digit stands for, which is at most half a cent. Null for what is no
 * number.
 */
export function readAmount(text: string): { nano: number; error: number } | null {
  // The pattern would take too long on a long text.
  const match = text.length > MAX_LENGTH ? null : NUMBER.exec(text)
  if (!match) return null
  const [, decimals = '', exponent = '0'] = match
  const places = Math.max(decimals.length - Number(exponent), CENT_PLACES)
  return { nano: Number(text) * NANO_PER_USD, error: NANO_PER_USD / 10 ** places / 2 }
}

/** A count of tokens or requests. Some exports write them with a decimal zero. Null for what is none. */
export function readCount(text: string): number | null {
  const count = readAmount(text) && Number(text)
  return Number.isSafeInteger(count) && Number(count) >= 0 ? count : null
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?\s*(Z|[+-]\d\d:\d\d)?$/
const SECONDS = /^\d{9,10}(\.\d+)?$/

/** Milliseconds since 1970. Times without a zone are in UTC. Null for what is no date. */
export function readMoment(text: string): number | null {
  if (SECONDS.test(text)) return Math.round(Number(text) * 1000)
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(text) ?? []
  if (day === undefined || !isDay(day)) return null
  const at = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(at) ? null : at
}

/** False for a 31 April, which `Date.parse` takes for another day. */
function isDay(text: string): boolean {
  const at = Date.parse(text)
  return !Number.isNaN(at) && toDay(at) === text
}

/** The day in UTC. */
export function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
