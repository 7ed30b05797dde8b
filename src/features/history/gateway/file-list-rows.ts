// Lists of files, of which there may be a million: a temporary database, whose pages go to the disk where they are many.
import Sqlite from 'better-sqlite3'

const CACHE_KIB = 4_096
const TABLES = `
  CREATE TABLE found (place INTEGER, path TEXT, name TEXT, unit TEXT, age INTEGER, depth INTEGER);
  CREATE TABLE files (unit TEXT, path TEXT)`
/** One row of each name, in their order. */
const FILL = `
  INSERT INTO files
  SELECT unit, path FROM (SELECT min(place) AS place, path, unit, age, depth FROM found GROUP BY name)
  ORDER BY age, depth, unit, place, path`

export interface FoundFile {
  /** Names are unique: of several files, that of the lowest place is listed. */
  name: string
  place: number
  path: string
  /** Files with the same are one whole. */
  unit: string
  /** The order of the wholes is that of age, depth and unit. */
  age: bigint
  depth: number
}

/** To be closed. */
export class FileList {
  readonly #db = new Sqlite('')

  constructor() {
    this.#db.pragma(`cache_size = -${CACHE_KIB}`)
    this.#db.pragma('journal_mode = OFF')
    this.#db.exec(TABLES)
  }

  add(files: readonly FoundFile[]): void {
    const insert = this.#db.prepare('INSERT INTO found VALUES (@place, @path, @name, @unit, @age, @depth)')
    this.#db.transaction(() => {
      for (const file of files) insert.run(file)
    })()
  }

  /** Called once, when all were added. */
  sort({ isGrouped }: { isGrouped: boolean }): void {
    this.#db.exec(FILL)
    if (isGrouped) this.#db.exec('CREATE INDEX files_by_unit ON files (unit)')
  }

  *units(): Generator<string[]> {
    const all = this.#db.prepare<[], Pick<FoundFile, 'unit' | 'path'>>(
      'SELECT unit, path FROM files ORDER BY rowid',
    )
    let unit: string | null = null
    const paths: string[] = []
    for (const row of all.iterate()) {
      if (row.unit !== unit && paths.length > 0) yield paths.splice(0)
      unit = row.unit
      paths.push(row.path)
    }
    if (paths.length > 0) yield paths
  }

  /** The paths of a whole; null for none. */
  find(unit: string): string[] | null {
    const paths = this.#db
      .prepare<[string], string>('SELECT path FROM files WHERE unit = ? ORDER BY rowid')
      .pluck()
      .all(unit)
    return paths.length === 0 ? null : paths
  }

  close(): void {
    this.#db.close()
  }
}
