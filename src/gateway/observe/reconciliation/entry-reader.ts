// The rows of a file as entries.
import type { ExportMapping } from '../../../shared/api/reconciliations.ts'
import { getOrCreate } from '../../platform/maps.ts'
import type { ExportFormat } from './formats.ts'
import * as numbers from './read-numbers.ts'
import { badCell, ExportError, type Row, type Table } from './table.ts'

const OTHER_CURRENCY = /[€£¥₹]|\b(eur|gbp|jpy|inr|cny|chf|cad|aud)\b/i

/** The content of a row; null for absent parts. */
export interface Entry {
  row: number
  at: number
  day: string
  model: string | null
  id: string | null
  requests: number | null
  tokensIn: number | null
  tokensOut: number | null
  /** 10⁻¹⁵ USD. */
  cost: bigint | null
  costError: bigint
}

interface Context {
  format: ExportFormat | null
  timeZone: string
}

/** Reads the rows of a table. Throws ExportError where the mapping does not fit it, and for a value that cannot be read. */
export class EntryReader {
  readonly skipped = { undated: [] as number[], empty: [] as number[], other: [] as number[] }
  readonly #at: ReadonlyMap<string, number>
  readonly #mapping: ExportMapping
  readonly #context: Context
  readonly #marks = new Map<string, numbers.DecimalMark | null>()
  readonly #dateOrder: numbers.DateOrder | null
  readonly #getDay: (at: number) => string
  readonly #table: Table

  constructor(table: Table, mapping: ExportMapping, context: Context) {
    this.#table = table
    this.#at = new Map(table.columns.map((name, index) => [name, index]))
    this.#mapping = mapping
    this.#context = context
    this.#getDay = numbers.createDayNames(context.timeZone)
    const { time, model, id, requests, input, output, cost } = mapping
    for (const name of [time, model, id, requests, cost, ...input, ...output]) {
      if (name !== null && !this.#at.has(name)) {
        throw new ExportError(
          `The file has no column “${name}”. It has: ${table.columns.slice(0, 30).join(', ')}.`,
        )
      }
    }
    if (cost === null && input.length + output.length === 0) {
      throw new ExportError('Choose a column with the cost, or one with tokens: there is nothing to compare.')
    }
    if (cost !== null && OTHER_CURRENCY.test(cost)) {
      throw new ExportError(`The column “${cost}” is not in USD, in which Tollgate counts.`)
    }
    this.#dateOrder = numbers.findDateOrder(this.#readCells(time))
  }

  /** Null for a row that is left out. */
  read(row: Row): Entry | null {
    const { time, model, id, requests, input, output, cost } = this.#mapping
    const { format } = this.#context
    const only = format?.only
    const text = (name: string | null) => (name === null ? '' : (row.cells[this.#at.get(name) ?? -1] ?? ''))
    const when = text(time)
    if (when === '') return this.#skip('undated', row)
    if (only && this.#at.has(only.column) && !only.pattern.test(text(only.column)))
      return this.#skip('other', row)
    const values = [requests, cost, ...input, ...output].map(text)
    if (values.every((value) => value === '') && text(model) === '') return this.#skip('empty', row)
    const at = this.#moment(row, when)
    this.#requireUsd(row, text(format?.currency ?? null))
    const named = text(model)
    return {
      row: row.nr,
      at,
      day: this.#getDay(at),
      model: named === '' ? null : (format?.getModel?.(named) ?? named),
      id: text(id) || null,
      requests: this.#count(row, requests === null ? [] : [requests], text),
      tokensIn: this.#count(row, input, text),
      tokensOut: this.#count(row, output, text),
      ...this.#cost(row, text(cost)),
    }
  }

  #skip(why: keyof EntryReader['skipped'], { nr }: Row): null {
    this.skipped[why].push(nr)
    return null
  }

  #moment(row: Row, text: string): number {
    const moment = numbers.readMoment(text, this.#context.timeZone, this.#dateOrder)
    if (moment) return moment.at
    const isAmbiguous = this.#dateOrder === null && numbers.isAmbiguousDate(text)
    throw badCell(
      row.nr,
      this.#mapping.time,
      text,
      isAmbiguous
        ? 'clear: the day and the month could be either number. Save the file with dates such as 2026-04-03'
        : 'a date. Dates such as 2026-04-03 and 2026-04-03T14:05:00Z can be read',
    )
  }

  /** The sum of the columns; null if all are empty. */
  #count(row: Row, names: readonly string[], text: (name: string) => string): number | null {
    let sum: number | null = null
    for (const name of names) {
      const cell = text(name)
      if (cell === '') continue
      const count = numbers.readCount(cell, this.#findMark(name, row))
      if (count === null) throw badCell(row.nr, name, cell, 'a whole number')
      sum = (sum ?? 0) + count
    }
    return sum
  }

  #cost(row: Row, text: string): Pick<Entry, 'cost' | 'costError'> {
    const { cost: name, costUnit, each } = this.#mapping
    if (name === null || text === '') return { cost: null, costError: 0n }
    const amount = numbers.readAmount(text, this.#findMark(name, row))
    if (!amount) throw badCell(row.nr, name, text, 'an amount in USD')
    if (amount.femto < 0n && each === 'request') throw badCell(row.nr, name, text, 'a cost: it is negative')
    const divisor = costUnit === 'cents' ? 100n : 1n
    return { cost: amount.femto / divisor, costError: amount.error / divisor }
  }

  #findMark(name: string, row: Row): numbers.DecimalMark {
    const mark = getOrCreate(this.#marks, name, () => numbers.findDecimalMark(this.#readCells(name)))
    if (mark === null) {
      throw new ExportError(
        `Row ${row.nr}, column “${name}”: some numbers of this column have a decimal point and others a decimal comma.`,
      )
    }
    return mark
  }

  #requireUsd(row: Row, currency: string): void {
    if (currency !== '' && currency.toLowerCase() !== 'usd') {
      throw badCell(row.nr, this.#context.format?.currency ?? '', currency, 'USD, in which Tollgate counts')
    }
  }

  *#readCells(name: string): Generator<string> {
    const at = this.#at.get(name) ?? -1
    for (const { cells } of this.#table.rows) yield cells[at] ?? ''
  }
}
