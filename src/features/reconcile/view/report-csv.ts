import { type CsvColumn, createCsv, formatUsdCell } from '../../../renderer/kit/download.ts'
import type { ReconciledDay, ReconciledRequest, Reconciliation } from '../api/reconciliations.ts'

type Line = ReconciledDay | ReconciledRequest

function listSideColumns(prefix: string, side: 'there' | 'here'): CsvColumn<Line>[] {
  return [
    [`${prefix}Requests`, (line) => line[side]?.requests ?? null],
    [`${prefix}TokensIn`, (line) => line[side]?.tokensIn ?? null],
    [`${prefix}TokensOut`, (line) => line[side]?.tokensOut ?? null],
    [`${prefix}CostUsd`, (line) => formatUsdCell(line[side]?.costUsd ?? null)],
  ]
}

const COLUMNS: readonly CsvColumn<Line>[] = [
  ['time', (line) => ('at' in line ? line.at : line.day)],
  ['model', ({ model }) => model ?? 'all models'],
  ['status', ({ status }) => status],
  ['row', (line) => ('row' in line ? line.row : null)],
  ['requestId', (line) => ('requestId' in line ? line.requestId : null)],
  ...listSideColumns('provider', 'there'),
  ...listSideColumns('log', 'here'),
  ['differenceUsd', ({ differenceUsd }) => formatUsdCell(differenceUsd)],
]

/** The report as a file to keep: the days by model, then the requests that do not match. */
export function createReportCsv({ days, requests }: Reconciliation): Blob {
  return createCsv<Line>(COLUMNS, [...days, ...requests])
}
