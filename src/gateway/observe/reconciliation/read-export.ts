// A file of a provider as entries that can be compared with the request log.
import { type ExportFormat, findFormat } from './formats.ts'
import { readAmount, readCount, readMoment, toDay } from './read-numbers.ts'
import { badCell, decodeText, ExportError, type Row, readTable, type Table } from './table.ts'

/** The content of a row; null for absent parts. */
export interface Entry {
  row: number
  at: number
  day: string
  model: string | null
  requests: number | null
  tokensIn: number | null
  tokensOut: number | null
  /** 10⁻¹⁵ USD. */
  cost: bigint | null
  costError: bigint
}

interface Export {
  format: ExportFormat
  /** In the order of their time. */
  entries: Entry[]
  /** Sentences about rows that were left out. */
  notes: string[]
}

/** Throws ExportError for a file of another kind, and for a value that cannot be read, with its place. */
export function readExport(bytes: Uint8Array): Export {
  const table = readTable(decodeText(bytes))
  const format = findFormat(table.columns)
  if (!format) {
    throw new ExportError(
      'This is not an export that Tollgate reads. Choose the usage or costs of OpenAI or Anthropic, or the activity of OpenRouter, as CSV or JSON.',
    )
  }
  const reader = new EntryReader(table, format)
  const entries = table.rows.flatMap((row) => reader.read(row) ?? [])
  if (entries.length === 0) throw new ExportError('The export has no usage in its period.')
  const { undated } = reader
  return {
    format,
    entries: entries.sort((a, b) => a.at - b.at),
    notes: undated === 0 ? [] : [`Rows without a date, such as totals, were left out: ${undated}.`],
  }
}

class EntryReader {
  undated = 0
  readonly #at: ReadonlyMap<string, number>
  readonly #format: ExportFormat

  constructor({ columns }: Table, format: ExportFormat) {
    this.#at = new Map(columns.map((name, index) => [name, index]))
    this.#format = format
  }

  /** Null for a row that is left out. */
  read(row: Row): Entry | null {
    const { time, model, requests, input = [], output, cost, currency } = this.#format
    const text = (name: string | undefined) =>
      name === undefined ? '' : (row.cells[this.#at.get(name) ?? -1] ?? '')
    const when = text(time)
    if (when === '') {
      this.undated++
      return null
    }
    const named = text(model).split(',')[0] ?? ''
    if ([requests, cost, output, ...input].every((name) => text(name) === '') && named === '') return null
    const at = readMoment(when)
    if (at === null) throw badCell(row.nr, time, when, 'a date such as 2026-04-03')
    if (!/^(usd)?$/i.test(text(currency)))
      throw badCell(row.nr, currency ?? '', text(currency), 'USD, in which Tollgate counts')
    const count = (names: readonly (string | undefined)[]) => {
      const cells = names.flatMap((name) => (name === undefined || text(name) === '' ? [] : [name]))
      return cells.length === 0 ? null : cells.reduce((sum, name) => sum + countIn(row, name, text(name)), 0)
    }
    return {
      row: row.nr,
      at,
      day: toDay(at),
      model: named === '' ? null : named,
      requests: count([requests]),
      tokensIn: count(input),
      tokensOut: count([output]),
      ...this.#cost(row, cost ?? '', text(cost)),
    }
  }

  #cost(row: Row, name: string, text: string): Pick<Entry, 'cost' | 'costError'> {
    if (text === '') return { cost: null, costError: 0n }
    const amount = readAmount(text)
    if (!amount) throw badCell(row.nr, name, text, 'an amount in USD')
    const { each, costUnit } = this.#format
    if (amount.femto < 0n && each === 'request') throw badCell(row.nr, name, text, 'a cost: it is negative')
    const divisor = costUnit === 'cents' ? 100n : 1n
    return { cost: amount.femto / divisor, costError: amount.error / divisor }
  }
}

function countIn(row: Row, name: string, text: string): number {
  const count = readCount(text)
  if (count === null) throw badCell(row.nr, name, text, 'a whole number')
  return count
}
