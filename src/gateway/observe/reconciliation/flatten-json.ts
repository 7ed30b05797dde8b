import { MAX_EXPORT_ROWS } from '../../../shared/reconciliations.ts'
import { ExportError } from './export-error.ts'
import { MAX_CELL, MAX_COLUMNS, type Row, type Table } from './table.ts'

/** How deep members of an entry can be nested. */
const MAX_DEPTH = 4

/**
 * JSON as a table: a list of objects, also as the `data` of an object or with an object in each line. The members of a
 * bucket's `results` follow those of the bucket. A member of a member is named `outer.inner`. Throws ExportError.
 */
export function flattenJson(text: string): Table {
  const entries = entriesOf(parseJson(text))
  const columns = new Map<string, number>()
  const rows: Row[] = []
  for (const [index, entry] of entries.entries()) {
    for (const members of expand(entry)) {
      if (rows.length === MAX_EXPORT_ROWS)
        throw new ExportError('The file has too many entries. Export a shorter period.')
      rows.push({ nr: index + 1, cells: cellsOf(members, columns, index + 1) })
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
function cellsOf(members: Members, columns: Map<string, number>, nr: number): string[] {
  const cells: string[] = []
  for (const [name, value] of membersOf(members, '', 0)) {
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
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
    if (lines.length > 1 && lines[0]?.trimEnd().endsWith('}')) return lines.map(parseLine)
    throw new ExportError(
      `The file is not valid JSON: ${thrown instanceof Error ? thrown.message : 'it cannot be parsed'}.`,
    )
  }
}

function parseLine(line: string, index: number): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new ExportError(`Line ${index + 1} is not valid JSON.`)
  }
}

function entriesOf(value: unknown): Members[] {
  const list = isMembers(value) ? (value.data ?? value.results ?? value.rows) : value
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

function* membersOf(members: Members, prefix: string, depth: number): Generator<[string, string]> {
  for (const [name, value] of Object.entries(members)) {
    if (isMembers(value)) {
      if (depth < MAX_DEPTH) yield* membersOf(value, `${prefix}${name}.`, depth + 1)
    } else if (!Array.isArray(value)) {
      yield [`${prefix}${name}`, value === null || value === undefined ? '' : String(value)]
    }
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
