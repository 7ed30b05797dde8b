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

/** What an export has at most; more is another kind of file. */
export const MAX_COLUMNS = 200
/** Characters of a cell. */
export const MAX_CELL = 10_000
