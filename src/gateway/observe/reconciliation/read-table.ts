// A CSV or JSON file as a table of texts.
import { CsvError, parse } from 'csv-parse/sync'
import { MAX_EXPORT_ROWS } from '../../../shared/reconciliations.ts'
import { ExportError } from './export-error.ts'
import { flattenJson } from './flatten-json.ts'
import { MAX_CELL, MAX_COLUMNS, type Row, type Table } from './table.ts'

/** Some exports begin with facts about the account. */
const MAX_PREAMBLE = 50

/** `isHeader` recognizes the row with the names of the columns. Throws ExportError. */
export function readTable(text: string, isHeader: (columns: readonly string[]) => boolean): Table {
  return /^\s*[[{]/.test(text) ? flattenJson(text) : readCsv(text, isHeader)
}

function readCsv(text: string, isHeader: (columns: readonly string[]) => boolean): Table {
  const delimiter = delimiterOf(text)
  const records = parseRecords(text, delimiter)
  const filled = (cells: readonly string[]) => cells.filter((cell) => cell !== '').length
  const known = records.slice(0, MAX_PREAMBLE).findIndex(({ cells }) => isHeader(cells))
  const start = known >= 0 ? known : records.findIndex(({ cells }) => filled(cells) >= 2)
  const header = records[start]
  if (!header)
    throw new ExportError('The file has no columns. Choose a CSV or JSON file with a row of column names.')
  const columns = uniqueNames(header.cells)
  if (columns.length > MAX_COLUMNS) {
    throw new ExportError(
      `Row ${header.nr} has ${columns.length} columns; an export has at most ${MAX_COLUMNS}.`,
    )
  }
  const rows = records.slice(start + 1).filter(({ cells }) => filled(cells) > 0)
  for (const { nr, cells } of rows) {
    if (cells.slice(columns.length).some((cell) => cell !== '')) {
      throw new ExportError(
        `Row ${nr} has ${cells.length} cells, and there are ${columns.length} columns. A comma within a cell must be in quotes.`,
      )
    }
  }
  return { columns, rows }
}

function parseRecords(text: string, delimiter: string): Row[] {
  const rows: Row[] = []
  try {
    parse(text, {
      delimiter,
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: MAX_COLUMNS * MAX_CELL,
      on_record(cells, { lines }) {
        if (rows.length === MAX_EXPORT_ROWS + MAX_PREAMBLE) throw tooManyRows()
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

function tooManyRows(): ExportError {
  return new ExportError(
    `The file has more than ${MAX_EXPORT_ROWS.toLocaleString('en-US')} rows. Export a shorter period.`,
  )
}

/** The separator that the first lines have most of, outside of quotes. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, 20_000)
    .split(/\r\n|\n|\r/)
    .slice(0, MAX_PREAMBLE)
  const plain = lines.map((line) => line.replace(/"[^"]*"/g, '')).join('\n')
  const counts = [',', ';', '\t', '|'].map((each) => ({ each, count: plain.split(each).length - 1 }))
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).each
}

/** A name that occurs twice gets a number, so that each can be mapped. */
function uniqueNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name, index) => {
    const plain = name === '' ? `Column ${index + 1}` : name
    const count = (seen.get(plain) ?? 0) + 1
    seen.set(plain, count)
    return count === 1 ? plain : `${plain} (${count})`
  })
}
