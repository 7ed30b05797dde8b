import type { ReconciledSide, Reconciliation } from '../../../shared/api/reconciliations.ts'
import { type CsvValue, formatRow, formatUsdCell, UTF8_MARK } from '../../kit/csv.ts'

const HEADER = [
  ...['level', 'day', 'time', 'model', 'status', 'row', 'requestId'],
  ...['providerRequests', 'providerTokensIn', 'providerTokensOut', 'providerCostUsd'],
  ...['logRequests', 'logTokensIn', 'logTokensOut', 'logCostUsd', 'differenceUsd'],
]

/** The lines by day and model, then the requests that do not match. */
export function writeReportCsv({ lines, items, there, here, differenceUsd }: Reconciliation): string {
  const rows: CsvValue[][] = [
    HEADER,
    [
      'total',
      null,
      null,
      null,
      null,
      null,
      null,
      ...cells(there),
      ...cells(here),
      formatUsdCell(differenceUsd),
    ],
    ...lines.map((line) => [
      ...['day', line.day, null, line.model ?? 'all models', line.status, null, null],
      ...[...cells(line.there), ...cells(line.here), formatUsdCell(line.differenceUsd)],
    ]),
    ...items.map((item) => [
      ...['request', null, item.at, item.model, item.status, item.row, item.requestId],
      ...[...cells(item.there), ...cells(item.here), formatUsdCell(item.differenceUsd)],
    ]),
  ]
  return UTF8_MARK + rows.map((row) => `${formatRow(row)}\r\n`).join('')
}

function cells(side: ReconciledSide | null): CsvValue[] {
  if (!side) return [null, null, null, null]
  return [side.requests, side.tokensIn, side.tokensOut, formatUsdCell(side.costUsd)]
}
