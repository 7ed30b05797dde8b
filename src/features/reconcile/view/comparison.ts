// The comparison that the window shows, and the file that is kept of it. It is stored nowhere, but stays when the user looks at a request
// and comes back.
import { useQuery } from '@tanstack/react-query'
import { authorizedFetch } from '../../../renderer/data/api.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { query, refresh, replace } from '../../../renderer/data/query-client.ts'
import { type CsvColumn, createCsv, formatUsdCell } from '../../../renderer/kit/download.ts'
import { fillPath } from '../../../shared/api/operation-calls.ts'
import { routes } from '../../../shared/api/routes.ts'
import type { ReconciledDay, ReconciledRequest, Reconciliation } from '../api/reconciliations.ts'

export interface Comparison {
  file: File
  report: Reconciliation
}

const comparison = query<Comparison | null>(['reconciliation'], async () => null)

export function useComparison(): Comparison | null {
  return useQuery(comparison).data ?? null
}

export function forgetComparison(): Promise<void> {
  return replace(comparison, null)
}

/** Throws ApiError. */
export async function compareExport(file: File, provider: string | undefined): Promise<void> {
  const report = await send(file, { provider })
  await replace(comparison, { file, report })
}

/** Settles the uncertain charges at the amounts of the file. Throws ApiError. */
export async function settleCharges({ file, report: { provider } }: Comparison): Promise<Reconciliation> {
  const report = await send(file, { provider, settle: 'true' })
  await replace(comparison, { file, report })
  await Promise.all([refresh(queries.account), refresh(queries.keys)])
  return report
}

async function send(file: File, query: Record<string, string | undefined>): Promise<Reconciliation> {
  const response = await authorizedFetch(fillPath(routes.reconcile.path, undefined, query), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  })
  return await response.json()
}

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
