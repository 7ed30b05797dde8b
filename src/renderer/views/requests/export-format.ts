import type { RequestRecord } from '../../../shared/requests.ts'
import { CSV_TYPE, type CsvValue, formatRow, formatUsdCell, UTF8_MARK } from '../../csv.ts'

export type ExportFormat = 'csv' | 'json'

const columns: readonly [string, (record: RequestRecord) => CsvValue][] = [
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
  csv: {
    head: `${UTF8_MARK}${formatRow(columns.map(([name]) => name))}\r\n`,
    between: '\r\n',
    tail: '\r\n',
    type: CSV_TYPE,
  },
  json: { head: '[\n', between: ',\n', tail: '\n]\n', type: 'application/json' },
}

export function formatRecord(record: RequestRecord, format: ExportFormat): string {
  if (format === 'json') return JSON.stringify(record)
  return formatRow(columns.map(([, value]) => value(record)))
}
