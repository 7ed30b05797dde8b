// A file of a provider as entries that can be compared with the request log.
import type { ExportMapping } from '../../../shared/api/reconciliations.ts'
import { type Entry, EntryReader } from './entry-reader.ts'
import { type ExportFormat, findFormat, foldName } from './formats.ts'
import { readMoment } from './read-numbers.ts'
import { decodeText, ExportError, readTable, type Table } from './table.ts'

export interface ReadOptions {
  timeZone: string | null
  mapping: ExportMapping | null
}

export interface OpenedExport {
  format: ExportFormat | null
  table: Table
  mapping: ExportMapping | null
  timeZone: string
  notes: string[]
}

const MAX_ROWS_TO_GUESS = 100

/** Finds out what a file is. Throws ExportError. */
export function openExport(bytes: Uint8Array, { timeZone, mapping }: ReadOptions): OpenedExport {
  const { text, notes } = decodeText(bytes)
  const table = readTable(text, (columns) => findFormat(columns) !== null)
  const format = mapping ? null : findFormat(table.columns)
  const zone = timeZone ?? format?.timeZone ?? 'UTC'
  return {
    format,
    table,
    mapping: mapping ?? (format ? nameColumns(format.mapping, table) : guess(table, zone)),
    timeZone: zone,
    notes,
  }
}

/** Throws ExportError for a value that cannot be read, with its place. Adds what was left out to the notes. */
export function readEntries(opened: OpenedExport): Entry[] {
  const { table, format, timeZone, notes, mapping } = opened
  if (!mapping) {
    throw new ExportError(
      'The columns of this file are not known. Choose which column has the time, and which the tokens or the cost.',
    )
  }
  const reader = new EntryReader(table, mapping, { format, timeZone })
  const { undated, empty, other } = reader.skipped
  const entries = table.rows.flatMap((row) => reader.read(row) ?? [])
  if (undated.length > 0) {
    notes.push(
      `${leftOut(undated.length, 'without a date, such as totals,')} The first is row ${undated[0]}.`,
    )
  }
  if (other.length > 0) notes.push(leftOut(other.length, `of ${format?.only?.what}`))
  if (entries.length === 0) {
    throw new ExportError(
      empty.length > 0
        ? 'The export has no usage in its period.'
        : 'No row of the file has a date and usage.',
    )
  }
  return entries
}

/** The mapping with the columns' names as the file writes them, without those that it lacks. */
function nameColumns(mapping: ExportMapping, { columns }: Table): ExportMapping {
  const names = new Map(columns.map((column) => [foldName(column), column]))
  const find = (name: string | null) => (name === null ? null : (names.get(foldName(name)) ?? null))
  const all = (list: readonly string[]) => list.flatMap((name) => find(name) ?? [])
  return {
    ...mapping,
    time: find(mapping.time) ?? mapping.time,
    model: find(mapping.model),
    requests: find(mapping.requests),
    input: all(mapping.input),
    output: all(mapping.output),
    cost: find(mapping.cost),
  }
}

function guess({ columns, rows }: Table, zone: string): ExportMapping | null {
  return guessMapping(columns, (name) => {
    const at = columns.indexOf(name)
    const cells = rows.slice(0, MAX_ROWS_TO_GUESS).map(({ cells }) => cells[at] ?? '')
    return cells.every((cell) => cell === '' || readMoment(cell, zone, 'day-first')?.isDay === true)
  })
}

function leftOut(count: number, what: string): string {
  return count === 1
    ? `1 row ${what} was left out.`
    : `${count.toLocaleString('en-US')} rows ${what} were left out.`
}

type Field = 'time' | 'model' | 'id' | 'requests' | 'input' | 'output' | 'cost'

/** Words of column names, from the most to the least telling. */
const WORDS: Readonly<Record<Field, readonly RegExp[]>> = {
  time: [
    /^(created|start|starting|request).?(at|time)/,
    /timestamp/,
    /^(usage.?)?date/,
    /\btime\b/,
    /^day$/,
    /^when$/,
    /date/,
  ],
  model: [/^model/, /model/, /^slug$/, /sku/, /deployment/],
  id: [/tollgate/, /^request.?id$/, /client.?request/],
  requests: [/(num|number|count).*request/, /^requests?$/, /request.*count/, /^calls$/],
  input: [/(input|prompt).*token/, /token.*(input|prompt|in)$/, /^(input|prompt)$/],
  output: [
    /(output|completion|generated).*token/,
    /token.*(output|completion|out)$/,
    /^(output|completion)$/,
  ],
  cost: [
    /total.*cost/,
    /cost.*total/,
    /^cost/,
    /cost.*usd/,
    /amount/,
    /cost/,
    /price/,
    /spend/,
    /charge/,
    /dollars?|\busd\b/,
    /^usage$/,
  ],
}

/**
 * The mapping that the names of the columns suggest; null if none is for the time, or there is nothing to compare. A row is
 * a request unless it counts requests, or its time is only a day (`isDay`).
 */
function guessMapping(columns: readonly string[], isDay: (column: string) => boolean): ExportMapping | null {
  const find = (field: Field): string | null => {
    for (const word of WORDS[field]) {
      const found = columns.find((column) => word.test(plain(column)))
      if (found !== undefined) return found
    }
    return null
  }
  const time = find('time')
  const input = find('input')
  const output = find('output')
  const cost = find('cost')
  if (time === null || (input === null && output === null && cost === null)) return null
  const requests = find('requests')
  return {
    each: requests !== null || isDay(time) ? 'period' : 'request',
    time,
    model: find('model'),
    id: find('id'),
    requests,
    input: input === null ? [] : [input],
    output: output === null ? [] : [output],
    cost,
    costUnit: cost !== null && /cent/.test(plain(cost)) ? 'cents' : 'usd',
  }
}

function plain(column: string): string {
  return column
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .replaceAll(/[()$]/g, '')
    .trim()
}
