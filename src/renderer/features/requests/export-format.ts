import type { RequestRecord } from '../../../shared/api/requests.ts'
import { CSV_TYPE, type CsvValue, formatRow, formatUsdCell, UTF8_MARK } from '../../kit/csv.ts'
import type { ColumnId } from './log-columns.tsx'

export type ExportFormat = 'csv' | 'json'

export interface ExportChoice {
  format: ExportFormat
  /** The columns of the table to export; null for all that is known of each request. */
  columns: readonly ColumnId[] | null
}

type ExportedColumn = readonly [string, (record: RequestRecord) => CsvValue]

const exported: readonly ExportedColumn[] = [
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
  ['clientName', ({ clientName }) => clientName],
  ['sessionId', ({ sessionId }) => sessionId],
  ['tag', ({ tag }) => tag],
  ['cacheReadTokens', ({ usage }) => usage?.cacheRead ?? null],
  ['sample', ({ sample }) => sample],
]

/** The fields in the file for each column of the table. The speed is left out, as it follows from the others. */
const fieldsOfColumns: Readonly<Record<ColumnId, readonly string[]>> = {
  time: ['createdAt'],
  key: ['keyName'],
  client: ['clientName'],
  project: ['tag'],
  session: ['sessionId'],
  model: ['requestedModel', 'model'],
  provider: ['provider'],
  endpoint: ['endpoint'],
  status: ['status', 'httpStatus', 'count'],
  tokens: ['tokensIn', 'tokensOut'],
  cacheRead: ['cacheReadTokens'],
  cost: ['costUsd', 'costStatus', 'sample'],
  latency: ['totalMs'],
  firstByte: ['firstByteMs'],
  rate: [],
  attempts: ['attempts'],
}

export interface ExportWriter {
  type: string
  /** The text before all records, between two of them, and after the last. */
  head: string
  between: string
  tail: string
  write(record: RequestRecord): string
}

export function createExportWriter({ format, columns }: ExportChoice): ExportWriter {
  const fields = columns === null ? exported : selectFields(columns)
  if (format === 'json') {
    return {
      type: 'application/json',
      head: '[\n',
      between: ',\n',
      tail: '\n]\n',
      write: (record) => JSON.stringify(columns === null ? record : pick(record, fields)),
    }
  }
  return {
    type: CSV_TYPE,
    head: `${UTF8_MARK}${formatRow(fields.map(([name]) => name))}\r\n`,
    between: '\r\n',
    tail: '\r\n',
    write: (record) => formatRow(fields.map(([, value]) => value(record))),
  }
}

/** In the order of the file, whatever the order of the table. */
function selectFields(columns: readonly ColumnId[]): readonly ExportedColumn[] {
  const names = new Set(['id', ...columns.flatMap((id) => fieldsOfColumns[id])])
  return exported.filter(([name]) => names.has(name))
}

function pick(record: RequestRecord, fields: readonly ExportedColumn[]): Record<string, CsvValue> {
  return Object.fromEntries(
    fields.map(([name, value]) => [name, name === 'costUsd' ? record.costUsd : value(record)]),
  )
}
