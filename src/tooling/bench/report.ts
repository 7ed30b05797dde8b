// The results of the benchmark's cases, and their two forms: text in the terminal and Markdown in the documentation.

/** One line of the table of targets. */
export interface Goal {
  name: string
  measured: string
  target: string
  /** Null where it could not be measured. */
  met: boolean | null
}

export interface Table {
  title: string
  columns: readonly string[]
  rows: readonly (readonly string[])[]
  /** Only printed, not in the documentation. */
  isDetail?: boolean
}

export interface CaseReport {
  goals: Goal[]
  tables: Table[]
  /** Sentences. */
  remarks?: string[]
}

/** The goal that a value is not above a limit. `value`: null where it could not be measured. */
export function atMost(name: string, value: number | null, limit: number, format = count): Goal {
  const met = value === null ? null : value <= limit
  return { name, measured: value === null ? '–' : format(value), target: `≤ ${format(limit)}`, met }
}

/** The goal that a ratio is not below a limit. `ratio`: null where it could not be measured. */
export function atLeast(name: string, ratio: number | null, limit: number): Goal {
  const met = ratio === null ? null : ratio >= limit
  return { name, measured: ratio === null ? '–' : times(ratio), target: `≥ ${times(limit)}`, met }
}

export function goalTable(goals: readonly Goal[]): Table {
  return {
    title: 'Targets',
    columns: ['what', 'measured', 'target', 'met'],
    rows: goals.map(({ name, measured, target, met }) => [name, measured, target, formatMet(met)]),
  }
}

function formatMet(met: boolean | null): string {
  if (met === null) return 'not measured'
  return met ? 'yes' : 'no'
}

export function formatText({ title, columns, rows }: Table): string {
  const all = [columns, ...rows]
  const widths = columns.map((_, index) => Math.max(...all.map((row) => (row[index] ?? '').length)))
  const lines = all.map((row) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  return [title, ...lines].join('\n')
}

/** Without its title. */
export function formatMarkdown({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const align = columns.map((_, index) => (index === 0 ? '---' : '--:'))
  return [line(columns), line(align), ...rows.map(line)].join('\n')
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

export function times(value: number): string {
  return `${value.toFixed(2)} ×`
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 100 ? 2 : 0)} ms`
}

/** Formats milliseconds with their sign. */
export function signed(ms: number): string {
  return `${ms < 0 ? '−' : '+'}${milliseconds(Math.abs(ms))}`
}

export const inMebibytes = (mebibytes: number): string => `${mebibytes} MiB`

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0)} MiB`
}
