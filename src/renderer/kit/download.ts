/** Saves a file as the browser saves downloads. */
export function download(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has opened the file by this time.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

export type CsvValue = string | number | boolean | null

/** A column of a file: its head, and its value in a row. */
export type CsvColumn<Row> = readonly [head: string, read: (row: Row) => CsvValue]

type CsvField<Row> = { [Name in keyof Row]: Row[Name] extends CsvValue ? Name : never }[keyof Row] & string

/** Columns of fields, with their names as heads. Those in USD have all nano-dollars, never in scientific notation. */
export function csvFields<Row>(...names: CsvField<Row>[]): CsvColumn<Row>[] {
  return names.map((name) => [
    name,
    (row) => {
      const value = row[name] as CsvValue
      return name.endsWith('Usd') ? formatUsdCell(value) : value
    },
  ])
}

/** To the last nano-dollar. */
export function formatUsdCell(value: CsvValue): CsvValue {
  return typeof value === 'number' ? value.toFixed(9) : value
}

const CSV_TYPE = 'text/csv;charset=utf-8'
const CRLF = '\r\n'

/** The parts of a file whose rows are not all there yet. It begins with a byte order mark, by which spreadsheets recognize UTF-8. */
export function createCsvWriter<Row>(columns: readonly CsvColumn<Row>[]) {
  return {
    type: CSV_TYPE,
    head: `\u{feff}${formatRow(columns.map(([name]) => name))}${CRLF}`,
    between: CRLF,
    tail: CRLF,
    write: (row: Row) => formatRow(columns.map(([, read]) => read(row))),
  }
}

export function createCsv<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): Blob {
  return new Blob([writeCsv(columns, rows)], { type: CSV_TYPE })
}

export function writeCsv<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const { head, write } = createCsvWriter(columns)
  return head + rows.map((row) => `${write(row)}${CRLF}`).join('')
}

function formatRow(values: readonly CsvValue[]): string {
  return values.map(formatCell).join(',')
}

/** RFC 4180. Text that a spreadsheet would run as a formula gets a leading apostrophe, as it may come from any client. */
function formatCell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const isFormula = /^[=+\-@\t\r]/.test(value) && !/^-\d+(\.\d+)?$/.test(value)
  const safe = isFormula ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
