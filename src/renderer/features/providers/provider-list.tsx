import { useQuery } from '@tanstack/react-query'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { api } from '../../data/api.ts'
import { queries, refreshProviders } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { toApiError } from '../../kit/api-error.ts'
import { chooseUsdDecimals } from '../../kit/format.ts'
import { showError } from '../../kit/show-error.ts'
import { useReorder } from '../../kit/use-reorder.ts'
import { ProviderRow } from './provider-row.tsx'
import { StatsHead } from './provider-stats.tsx'
import { providersLastDay } from './provider-usage.ts'

interface ProviderListProps {
  /** In the order in which they are tried. */
  providers: readonly ProviderRecord[]
  onEdit: (provider: ProviderRecord) => void
  onRemove: (provider: ProviderRecord) => void
  onModels: (provider: ProviderRecord) => void
}

export function ProviderList({ providers, onEdit, onRemove, onModels }: ProviderListProps) {
  const { data: usage } = useQuery(providersLastDay)
  const decimals = chooseUsdDecimals([...(usage?.values() ?? [])].map(({ costUsd }) => costUsd))
  const byId = new Map(providers.map((provider) => [provider.id, provider]))
  const { order, dragged, announcement, list, move, rowProps, handleProps } = useReorder({
    ids: [...byId.keys()],
    getName: (id) => byId.get(id)?.name ?? id,
    onReorder: (ids) =>
      orderProviders(ids).catch((thrown: unknown) => void showError(toApiError(thrown).message)),
  })
  const rows = order.flatMap((id) => byId.get(id) ?? [])
  return (
    <>
      <div className="flex items-center gap-3 border-line border-b py-2 pr-4 pl-4 text-ink-3 text-xs">
        <p className="min-w-0 flex-1 font-normal text-sm">
          If several providers have a model, they are tried from top to bottom.
        </p>
        <span className="max-sm:hidden">Last 24 hours</span>
        <StatsHead />
        {/* Equals the width of the rest of a row: the number of models, the test, the switch and the menu. */}
        <span className="w-58.5 shrink-0 max-md:w-31.5 max-sm:hidden" />
      </div>
      <ul ref={list} className="divide-y divide-line">
        {rows.map((provider, index) => (
          <ProviderRow
            key={provider.id}
            provider={provider}
            usage={usage?.get(provider.id)}
            decimals={decimals}
            onMoveUp={index === 0 ? null : () => move(provider.id, -1)}
            onMoveDown={index === rows.length - 1 ? null : () => move(provider.id, 1)}
            onEdit={() => onEdit(provider)}
            onRemove={() => onRemove(provider)}
            onModels={() => onModels(provider)}
            isDragged={dragged === provider.id}
            rowProps={rowProps(provider.id)}
            handleProps={handleProps(provider.id)}
          />
        ))}
      </ul>
      <p aria-live="polite" className="sr-only">
        {announcement}
      </p>
    </>
  )
}

/**
 * Sets the priorities so that the providers have this order, from 1: a new provider gets 100 from the gateway, and so comes
 * last. Throws ApiError.
 */
async function orderProviders(ids: readonly string[]): Promise<void> {
  const rows = queryClient.getQueryData(queries.providers.queryKey) ?? []
  const priorityOf = new Map(rows.map(({ id, priority }) => [id, priority]))
  const changes = ids
    .map((id, index) => ({ id, priority: index + 1 }))
    .filter(({ id, priority }) => priorityOf.get(id) !== priority)
  try {
    await Promise.all(
      changes.map(({ id, priority }) => api('putProvider', { params: { id }, body: { priority } })),
    )
  } finally {
    await refreshProviders()
  }
}
