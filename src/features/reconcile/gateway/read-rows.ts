// A CSV or JSON file as rows of texts.
import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { MAX_EXPORT_ROWS } from '../api/reconciliations.ts'

/** Why an export cannot be read, in a sentence for the user. */
export class ExportError extends Error {
  override name = 'ExportError'
}

export interface Row {
  /** The line in the file as an editor counts it, or the number of the entry in JSON. */
  nr: number
  /** The texts by the name of their column in small letters. */
  cells: Readonly<Record<string, string>>
}

/** Calls `visit` with each row below the names of the columns. Throws ExportError. */
export function readRows(bytes: Uint8Array, visit: (row: Row) => void): void {
  if (!isUtf8(bytes) || bytes.includes(0)) {
    throw new ExportError(
      'This is not a text file in UTF-8. Choose a CSV or JSON file as the provider made it.',
    )
  }
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') throw new ExportError('The file is empty.')
  let rows = 0
  const read = /^\s*[[{]/.test(text) ? readJson : readCsv
  read(text, (row) => {
    rows += 1
    if (rows > MAX_EXPORT_ROWS) throw new ExportError('The file has too many rows. Export a shorter period.')
    visit(row)
  })
}

type Members = Readonly<Record<string, unknown>>

/**
 * A list of objects, also as the `data` of an object. The members of a bucket's `results` follow those of the bucket. A member
 * of a member is named `outer.inner`.
 */
function readJson(text: string, visit: (row: Row) => void): void {
  const entries = listEntries(parseJson(text))
  for (const [index, { results, ...bucket }] of entries.entries()) {
    // A bucket of OpenAI's and Anthropic's APIs has a list of results for one period.
    const parts: unknown[] = Array.isArray(results) ? results : [{}]
    for (const part of parts) {
      if (!isMembers(part)) continue
      const cells = Object.entries({ ...bucket, ...part }).flatMap(([name, value]) =>
        isMembers(value)
          ? Object.entries(value).map(([inner, text]) => toCell(`${name}.${inner}`, text))
          : [toCell(name, value)],
      )
      visit({ nr: index + 1, cells: Object.fromEntries(cells) })
    }
  }
}

function toCell(name: string, value: unknown): [name: string, text: string] {
  const isText = typeof value === 'string' || typeof value === 'number'
  return [name.toLowerCase(), isText ? String(value) : '']
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
  const list: unknown = isMembers(value) ? value.data : value
  // Pages of an API that were saved as a list.
  const pages = Array.isArray(list)
    ? list.flatMap((entry) => (isMembers(entry) && Array.isArray(entry.data) ? entry.data : [entry]))
    : []
  const entries = pages.filter(isMembers)
  if (entries.length > 0) return entries
  throw new ExportError('The file has no list of entries. Save the whole answer of the API, with its “data”.')
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readCsv(text: string, visit: (row: Row) => void): void {
  try {
    parse(text, {
      bom: true,
      columns: (names: string[]) => names.map((name) => name.toLowerCase()),
      relax_column_count_less: true,
      skip_empty_lines: true,
      trim: true,
      on_record(cells: Record<string, string>, { lines }) {
        visit({ nr: lines, cells })
        return null
      },
    })
  } catch (thrown) {
    if (thrown instanceof CsvError) throw new ExportError(explainCsvError(thrown))
    throw thrown
  }
}

function explainCsvError({ code, message, lines }: CsvError): string {
  const row = `Row ${typeof lines === 'number' ? lines : 1}`
  if (code.includes('QUOTE'))
    return `${row} cannot be read: a quotation mark is not closed, or is within a cell without quotes.`
  if (code.includes('COLUMNS'))
    return `${row} has more cells than there are columns. A comma within a cell must be in quotes.`
  return `${row} cannot be read: ${message}.`
}
