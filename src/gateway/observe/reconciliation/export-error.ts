/** Why an export cannot be read, in a sentence for the user. */
export class ExportError extends Error {
  override name = 'ExportError'
}

/** Names the place in the file. `row` is the line as an editor counts it. */
export function badCell(row: number, column: string, text: string, what: string): ExportError {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return new ExportError(`Row ${row}, column “${column}”: “${shown}” is not ${what}.`)
}
