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

export const CSV_TYPE = 'text/csv;charset=utf-8'
/** The byte order mark, by which spreadsheets recognize UTF-8. A file begins with it. */
export const UTF8_MARK = '\u{feff}'

export function formatRow(values: readonly CsvValue[]): string {
  return values.map(formatCell).join(',')
}

/** To the last nano-dollar, never in scientific notation. */
export function formatUsdCell(value: number | null): string | null {
  return value === null ? null : value.toFixed(9)
}

/** RFC 4180. Text that a spreadsheet would run as a formula gets a leading apostrophe, as it may come from any client. */
function formatCell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const isFormula = /^[=+\-@\t\r]/.test(value) && !/^-\d+(\.\d+)?$/.test(value)
  const safe = isFormula ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
