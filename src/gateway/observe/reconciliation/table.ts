import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { MAX_EXPORT_ROWS } from '../../../shared/api/reconciliations.ts'

/** Why an export cannot be read, in a sentence for the user. */
export class ExportError extends Error {
  override name = 'ExportError'
}

/** Names the place in the file. `row` is the line as an editor counts it. */
export function badCell(row: number, column: string, text: string, what: string): ExportError {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return new ExportError(`Row ${row}, column “${column}”: “${shown}” is not ${what}.`)
}

/** A row of a file, as texts. */
export interface Row {
  /** The line in the file, or the number of the entry in JSON. */
  nr: number
  cells: readonly string[]
}

export interface Table {
  columns: readonly string[]
  rows: Row[]
}

/** The limits of an export; a larger file is of another kind. */
const MAX_COLUMNS = 200
/** Characters of a cell. */
const MAX_CELL = 10_000

/** The text of a file, without a byte order mark. Throws ExportError for what is not text. */
export function decodeText(bytes: Uint8Array): string {
  if (!isUtf8(bytes) || bytes.includes(0))
    throw new ExportError(
      'This is not a text file in UTF-8. Choose a CSV or JSON file as the provider made it.',
    )
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') throw new ExportError('The file is empty.')
  return text
}

/** How deep members of an entry can be nested. */
const MAX_DEPTH = 4

/**
 * JSON as a table: a list of objects, also as the `data` of an object. The members of a bucket's `results` follow those of the
 * bucket. A member of a member is named `outer.inner`. Throws ExportError.
 */
function flattenJson(text: string): Table {
  const entries = listEntries(parseJson(text))
  const columns = new Map<string, number>()
  const rows: Row[] = []
  for (const [index, entry] of entries.entries()) {
    for (const members of expand(entry)) {
      if (rows.length === MAX_EXPORT_ROWS)
        throw new ExportError('The file has too many entries. Export a shorter period.')
      rows.push({ nr: index + 1, cells: readCells(members, columns, index + 1) })
    }
  }
  if (rows.length === 0) throw new ExportError('The file has no entries.')
  const width = columns.size
  return {
    columns: [...columns.keys()],
    rows: rows.map(({ nr, cells }) => ({
      nr,
      cells: Array.from({ length: width }, (_, at) => cells[at] ?? ''),
    })),
  }
}

/** The values of an entry, each at the place of its column. Adds the columns that are new. */
function readCells(members: Members, columns: Map<string, number>, nr: number): string[] {
  const cells: string[] = []
  for (const [name, value] of listMembers(members, '', 0)) {
    const longest = Math.max(name.length, value.length)
    if (longest > MAX_CELL)
      throw new ExportError(`Entry ${nr}, “${name.slice(0, 100)}”: the text has ${longest} characters.`)
    const at = columns.get(name) ?? columns.size
    columns.set(name, at)
    if (columns.size > MAX_COLUMNS)
      throw new ExportError(
        `Entry ${nr}: the entries have more than ${MAX_COLUMNS} different members, which no export has.`,
      )
    cells[at] = value
  }
  return cells
}

type Members = Readonly<Record<string, unknown>>

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

/** A bucket of OpenAI's and Anthropic's APIs has a list of results for one period. */
function* expand(entry: Members): Generator<Members> {
  const { results, ...rest } = entry
  if (!Array.isArray(results)) yield entry
  else for (const result of results) if (isMembers(result)) yield { ...rest, ...result }
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

// A CSV or JSON file as a table of texts.

/** Columns have their names in small letters. Throws ExportError. */
export function readTable(text: string): Table {
  const { columns, rows } = /^\s*[[{]/.test(text) ? flattenJson(text) : readCsv(text)
  return { columns: columns.map((name) => name.toLowerCase()), rows }
}

function readCsv(text: string): Table {
  const [header, ...rows] = parseRecords(text)
  const columns = header?.cells ?? []
  if (columns.length < 2)
    throw new ExportError('The file has no columns. Choose a CSV or JSON file with a row of column names.')
  if (columns.length > MAX_COLUMNS) {
    throw new ExportError(`The file has ${columns.length} columns; an export has at most ${MAX_COLUMNS}.`)
  }
  for (const { nr, cells } of rows) {
    if (cells.slice(columns.length).some((cell) => cell !== '')) {
      throw new ExportError(
        `Row ${nr} has ${cells.length} cells, and there are ${columns.length} columns. A comma within a cell must be in quotes.`,
      )
    }
  }
  return { columns, rows }
}

function parseRecords(text: string): Row[] {
  const rows: Row[] = []
  try {
    parse(text, {
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: MAX_COLUMNS * MAX_CELL,
      on_record(cells, { lines }) {
        if (rows.length > MAX_EXPORT_ROWS)
          throw new ExportError(
            `The file has more than ${MAX_EXPORT_ROWS.toLocaleString('en-US')} rows. Export a shorter period.`,
          )
        rows.push({ nr: lines, cells: checkCells(cells, lines) })
        return null
      },
    })
  } catch (thrown) {
    if (thrown instanceof CsvError) throw toExportError(thrown)
    throw thrown
  }
  return rows
}

function checkCells(cells: readonly string[], row: number): readonly string[] {
  const huge = cells.findIndex((cell) => cell.length > MAX_CELL)
  if (huge < 0) return cells
  throw new ExportError(
    `Row ${row}, column ${huge + 1}: the cell has ${cells[huge]?.length} characters; an export has at most ${MAX_CELL}.`,
  )
}

function toExportError(error: CsvError): ExportError {
  const row = typeof error.lines === 'number' ? error.lines : 1
  const isQuote = error.code.includes('QUOTE')
  const what = isQuote ? 'a quotation mark is not closed, or is within a cell without quotes' : error.message
  return new ExportError(`Row ${row} cannot be read: ${what}.`)
}
