import type { RequestRecord } from '../../../shared/requests.ts'

export type ExportFormat = 'csv' | 'json'

type Value = string | number | boolean | null
const columns: readonly [string, (record: RequestRecord) => Value][] = [
  ['id', ({ id }) => id],
  ['createdAt', ({ createdAt }) => createdAt],
  ['keyId', ({ keyId }) => keyId],
  ['keyName', ({ keyName }) => keyName],
  ['requestedModel', ({ requestedModel }) => requestedModel],
  ['model', ({ model }) => model],
  ['provider', ({ provider }) => provider],
  ['stream', ({ stream }) => stream],
  ['status', ({ status }) => status],
  ['httpStatus', ({ httpStatus }) => httpStatus],
  ['tokensIn', ({ tokensIn }) => tokensIn],
  ['tokensOut', ({ tokensOut }) => tokensOut],
  ['costUsd', ({ costUsd }) => formatUsdCell(costUsd)],
  ['costStatus', ({ costStatus }) => costStatus],
  ['costLowUsd', ({ costLowUsd }) => formatUsdCell(costLowUsd)],
  ['costHighUsd', ({ costHighUsd }) => formatUsdCell(costHighUsd)],
  ['queueMs', ({ timings }) => timings.queueMs],
  ['firstByteMs', ({ timings }) => timings.firstByteMs],
  ['totalMs', ({ timings }) => timings.totalMs],
  ['attempts', ({ attempts }) => attempts.length],
  ['client', ({ client }) => client],
  ['errorType', ({ error }) => error?.type ?? null],
  ['errorCode', ({ error }) => error?.code ?? null],
  ['errorMessage', ({ error }) => error?.message ?? null],
  ['endpoint', ({ endpoint }) => endpoint],
  ['count', ({ count }) => count],
  ['lastAt', ({ lastAt }) => lastAt],
]

/** The text before all records, between two of them, and after the last. */
export const frames: Record<ExportFormat, { head: string; between: string; tail: string; type: string }> = {
  // Spreadsheets recognise UTF-8 by the byte order mark.
  csv: {
    head: `\u{feff}${columns.map(([name]) => name).join(',')}\r\n`,
    between: '\r\n',
    tail: '\r\n',
    type: 'text/csv;charset=utf-8',
  },
  json: { head: '[\n', between: ',\n', tail: '\n]\n', type: 'application/json' },
}

export function formatRecord(record: RequestRecord, format: ExportFormat): string {
  if (format === 'json') return JSON.stringify(record)
  return columns.map(([, value]) => formatCell(value(record))).join(',')
}

/** To the last nano-dollar, never in scientific notation. */
function formatUsdCell(value: number | null): string | null {
  return value === null ? null : value.toFixed(9)
}

/** RFC 4180. Text that a spreadsheet would run as a formula gets a leading apostrophe, as it may come from any client. */
function formatCell(value: Value): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
