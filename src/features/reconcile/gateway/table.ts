// A CSV or JSON file as rows of texts.
import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { MAX_EXPORT_ROWS } from '../api/reconciliations.ts'

/** Why an export cannot be read, in a sentence for the user. */
export class ExportError extends Error {
  override name = 'ExportError'
}

/** Names the place in the file. `row` is the line as an editor counts it. */
export function badCell(row: number, column: string, text: string, what: string): ExportError {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return new ExportError(`Row ${row}, column “${column}”: “${shown}” is not ${what}.`)
}

export interface Row {
  /** The line in the file, or the number of the entry in JSON. */
  nr: number
  /** By the name of the column in small letters. */
  cells: ReadonlyMap<string, string>
}

/** The limits of an export; a larger file is of another kind. */
const MAX_COLUMNS = 200
/** Characters of a cell. */
const MAX_CELL = 10_000
/** How deep members of an entry can be nested. */
const MAX_DEPTH = 4

/** The rows below the names of the columns. Throws ExportError. */
export function* readRows(bytes: Uint8Array): Generator<Row> {
  if (!isUtf8(bytes) || bytes.includes(0)) {
    throw new ExportError(
      'This is not a text file in UTF-8. Choose a CSV or JSON file as the provider made it.',
    )
  }
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') throw new ExportError('The file is empty.')
  let rows = 0
  for (const [nr, members] of /^\s*[[{]/.test(text) ? readJson(text) : readCsv(text)) {
    if (++rows > MAX_EXPORT_ROWS) throw new ExportError(TOO_LONG)
    yield { nr, cells: toCells(nr, members) }
  }
}

const TOO_LONG = 'The file has too many rows. Export a shorter period.'

type NamedCells = Iterable<readonly [name: string, value: string]>

function toCells(nr: number, members: NamedCells): Map<string, string> {
  const cells = new Map<string, string>()
  for (const [name, value] of members) {
    const longest = Math.max(name.length, value.length)
    if (longest > MAX_CELL) {
      throw new ExportError(`Row ${nr}, column “${name.slice(0, 100)}”: the text has ${longest} characters.`)
    }
    cells.set(name.toLowerCase(), value)
    if (cells.size > MAX_COLUMNS) throw new ExportError(`Row ${nr} has more than ${MAX_COLUMNS} columns.`)
  }
  return cells
}

type Members = Readonly<Record<string, unknown>>

/**
 * A list of objects, also as the `data` of an object. The members of a bucket's `results` follow those of the bucket. A member
 * of a member is named `outer.inner`.
 */
function* readJson(text: string): Generator<[number, NamedCells]> {
  const entries = listEntries(parseJson(text))
  for (const [index, { results, ...rest }] of entries.entries()) {
    // A bucket of OpenAI's and Anthropic's APIs has a list of results for one period.
    const parts: unknown[] = Array.isArray(results) ? results : [{}]
    for (const part of parts) if (isMembers(part)) yield [index + 1, listMembers({ ...rest, ...part }, '', 0)]
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw new ExportError(
      `The file is not valid JSON: ${thrown instanceof Error ? thrown.message : 'it cannot be parsed'}.`,
    )
  }
}

function listEntries(value: unknown): Members[] {
  const list = isMembers(value) ? value.data : value
  // Pages of an API that were saved as a list.
  const flat = Array.isArray(list)
    ? list.flatMap((each) => (isMembers(each) && Array.isArray(each.data) ? each.data : [each]))
    : []
  const entries = flat.filter(isMembers)
  if (entries.length === 0) {
    throw new ExportError(
      'The file has no list of entries. Save the whole answer of the API, with its “data”.',
    )
  }
  return entries
}

function* listMembers(members: Members, prefix: string, depth: number): Generator<[string, string]> {
  for (const [name, value] of Object.entries(members)) {
    if (isMembers(value)) {
      if (depth < MAX_DEPTH) yield* listMembers(value, `${prefix}${name}.`, depth + 1)
    } else if (!Array.isArray(value)) {
      yield [`${prefix}${name}`, value === null || value === undefined ? '' : String(value)]
    }
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function* readCsv(text: string): Generator<[number, NamedCells]> {
  const [[, columns] = [0, []], ...records] = parseCsv(text)
  for (const [nr, cells] of records) yield [nr, nameCells(columns, cells, nr)]
}

/** Each line with its number. */
function parseCsv(text: string): [number, string[]][] {
  const records: [number, string[]][] = []
  try {
    parse(text, {
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: MAX_COLUMNS * MAX_CELL,
      on_record(cells: string[], { lines }) {
        if (records.length > MAX_EXPORT_ROWS) throw new ExportError(TOO_LONG)
        records.push([lines, cells])
        return null
      },
    })
  } catch (thrown) {
    if (thrown instanceof CsvError) throw toExportError(thrown)
    throw thrown
  }
  return records
}

function nameCells(columns: readonly string[], cells: readonly string[], nr: number): [string, string][] {
  if (cells.slice(columns.length).some((cell) => cell !== '')) {
    throw new ExportError(
      `Row ${nr} has ${cells.length} cells, and there are ${columns.length} columns. A comma within a cell must be in quotes.`,
    )
  }
  return columns.map((name, at) => [name, cells[at] ?? ''])
}

function toExportError(error: CsvError): ExportError {
  const row = typeof error.lines === 'number' ? error.lines : 1
  const isQuote = error.code.includes('QUOTE')
  const what = isQuote ? 'a quotation mark is not closed, or is within a cell without quotes' : error.message
  return new ExportError(`Row ${row} cannot be read: ${what}.`)
}
