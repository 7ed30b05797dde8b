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
