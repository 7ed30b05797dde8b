// A file of a provider as entries that can be compared with the request log.
import { type ExportFormat, findFormat } from './formats.ts'
import { readAmount, readCount, readMoment, toDay } from './read-numbers.ts'
import { badCell, ExportError, type Row, readRows } from './table.ts'

/** The content of a row; null for absent parts. */
export interface Entry {
  row: number
  at: number
  day: string
  model: string | null
  requests: number | null
  tokensIn: number | null
  tokensOut: number | null
  /** Nano-dollars, not rounded. */
  costNano: number | null
  /** How much `costNano` can differ because of its rounding. */
  costError: number
}

interface Export {
  format: ExportFormat
  /** In the order of their time. */
  entries: Entry[]
  /** Sentences about rows that were left out. */
  notes: string[]
}

/** Throws ExportError for a file of another kind, and for a value that cannot be read, with its place. */
export function readExport(bytes: Uint8Array): Export {
  let format: ExportFormat | null = null
  let undated = 0
  const entries: Entry[] = []
  for (const row of readRows(bytes)) {
    format ??= requireFormat(row)
    const isDated = Boolean(row.cells.get(format.time))
    const entry = isDated ? readEntry(row, format) : null
    if (!isDated) undated++
    if (entry) entries.push(entry)
  }
  if (format === null || entries.length === 0) throw new ExportError('The export has no usage in its period.')
  return {
    format,
    entries: entries.sort((a, b) => a.at - b.at),
    notes: undated === 0 ? [] : [`Rows without a date, such as totals, were left out: ${undated}.`],
  }
}

function requireFormat({ cells }: Row): ExportFormat {
  const format = findFormat(cells)
  if (format) return format
  throw new ExportError(
    'This is not an export that Tollgate reads. Choose the usage or costs of OpenAI or Anthropic, or the activity of OpenRouter, as CSV or JSON.',
  )
}

/** Null for a row without usage. */
function readEntry(row: Row, format: ExportFormat): Entry | null {
  const { time, model, requests, input = [], output, cost, currency } = format
  const text = (name: string | undefined) => (name === undefined ? '' : (row.cells.get(name) ?? ''))
  const named = text(model).split(',')[0] ?? ''
  if ([requests, cost, output, ...input].every((name) => text(name) === '') && named === '') return null
  const at = readMoment(text(time))
  if (at === null) throw badCell(row.nr, time, text(time), 'a date such as 2026-04-03')
  if (!/^(usd)?$/i.test(text(currency)))
    throw badCell(row.nr, currency ?? '', text(currency), 'USD, in which Tollgate counts')
  /** The sum of the columns; null if all are empty. */
  const count = (...names: (string | undefined)[]) => {
    const filled = names.filter((name) => name !== undefined && text(name) !== '')
    return filled.length === 0
      ? null
      : filled.reduce((sum, name = '') => sum + countIn(row, name, text(name)), 0)
  }
  return {
    row: row.nr,
    at,
    day: toDay(at),
    model: named === '' ? null : named,
    requests: count(requests),
    tokensIn: count(...input),
    tokensOut: count(output),
    ...readCost(row, format, text(cost)),
  }
}

function readCost(
  { nr }: Row,
  { each, cost = '', costUnit }: ExportFormat,
  text: string,
): Pick<Entry, 'costNano' | 'costError'> {
  if (text === '') return { costNano: null, costError: 0 }
  const amount = readAmount(text)
  if (!amount) throw badCell(nr, cost, text, 'an amount in USD')
  if (amount.nano < 0 && each === 'request') throw badCell(nr, cost, text, 'a cost: it is negative')
  const divisor = costUnit === 'cents' ? 100 : 1
  return { costNano: amount.nano / divisor, costError: amount.error / divisor }
}

function countIn({ nr }: Row, name: string, text: string): number {
  const count = readCount(text)
  if (count === null) throw badCell(nr, name, text, 'a whole number')
  return count
}
