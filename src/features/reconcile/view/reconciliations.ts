// Comparisons of the log with exports of providers. Their files are sent as they are.

import { api, authorizedFetch } from '../../../renderer/data/api.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { queryClient, refresh, volatileQuery } from '../../../renderer/data/query-client.ts'
import { fillPath } from '../../../shared/api/operation-calls.ts'
import { routes } from '../../../shared/api/routes.ts'
import { Reconciliation } from '../api/reconciliations.ts'

const { createReconciliation } = routes

export const reconciliations = volatileQuery(
  ['reconciliations'],
  async () => (await api('listReconciliations')).data,
)

export function reconciliation(id: string) {
  return volatileQuery(['reconciliation', id], () => api('getReconciliation', { params: { id } }))
}

/** Throws ApiError. */
export async function compareExport(file: File, provider: string | undefined): Promise<Reconciliation> {
  const query = { provider, name: file.name.slice(0, 200) }
  const created = Reconciliation.parse(
    await send(fillPath(createReconciliation.path, undefined, query), file),
  )
  await refresh(reconciliations)
  return created
}

/** Throws ApiError. */
export async function settleReconciliation(id: string): Promise<Reconciliation> {
  const settled = await api('settleReconciliation', { params: { id } })
  queryClient.setQueryData(reconciliation(id).queryKey, settled)
  await Promise.all([refresh(reconciliations), refresh(queries.account), refresh(queries.keys)])
  return settled
}

/** Throws ApiError. */
export async function deleteReconciliation(id: string): Promise<void> {
  await api('deleteReconciliation', { params: { id } })
  await refresh(reconciliations)
}

async function send(path: string, file: File): Promise<unknown> {
  const response = await authorizedFetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  })
  return await response.json()
}
