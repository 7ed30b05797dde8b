import { useQuery } from '@tanstack/react-query'
import { Plus, ServerCog } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { api } from '../../data/api.ts'
import { queries, refreshProviders } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { chooseUsdDecimals } from '../../kit/format.ts'
import { EmptyState, QueryState } from '../../kit/notice.tsx'
import { Card, Page } from '../../kit/page.tsx'
import { reportFailure } from '../../kit/show-error.ts'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { useReorder } from '../../kit/use-reorder.ts'
import { AddProvider } from './add-provider.tsx'
import { credentialPlace } from './credential-fields.tsx'
import { ProviderRow } from './provider-row.tsx'
import { providersLastDay, removeTestedProvider, StatsHead } from './provider-stats.tsx'
import { SetUpProvider } from './set-up-provider.tsx'

/** How often the health of the providers is read while the view is open. */
const HEALTH_MS = 15_000

export function Providers() {
  // Single failures are no event.
  const reading = useQuery({ ...queries.providers, refetchInterval: HEALTH_MS })
  const { data: providers } = reading
  const { data: info } = useQuery(queries.gateway)
  const [adding, setAdding] = useAddressParam('add')
  const [, navigate] = useLocation()
  const [editedId, setEditedId] = useAddressParam('edit')
  const [removing, setRemoving] = useState<ProviderRecord | null>(null)
  const configured = (providers ?? []).filter((provider) => provider.configured)
  const editing = configured.find(({ id }) => id === editedId)
  return (
    <Page
      title="Providers"
      subtitle="The services and local servers that run the models."
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setAdding('1')}>
          Add provider
        </Button>
      }
    >
      <Card>
        <QueryState query={reading} />
        {providers && configured.length === 0 ? (
          <EmptyState
            icon={ServerCog}
            title="No providers yet"
            action={
              <Button icon={Plus} onClick={() => setAdding('1')}>
                Add a provider
              </Button>
            }
          >
            {`A provider runs the models. ${credentialPlace(info).only}`}
          </EmptyState>
        ) : null}
        {configured.length > 0 ? (
          <ProviderList
            providers={configured}
            onEdit={({ id }) => setEditedId(id)}
            onRemove={setRemoving}
            onModels={({ id }) => navigate(`/models?provider=${id}`)}
          />
        ) : null}
      </Card>
      {adding !== null ? <AddProvider onClose={() => setAdding(null)} /> : null}
      {editing ? (
        <SetUpProvider key={editing.id} provider={editing} onClose={() => setEditedId(null)} />
      ) : null}
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Remove ${removing?.name ?? ''}?`}
        description={`Its models become unavailable, and ${credentialPlace(info).deleted}. Past requests and their costs are kept.`}
        action="Remove provider"
        onConfirm={async () => {
          if (removing) await removeTestedProvider(removing.id)
        }}
      />
    </Page>
  )
}

interface ProviderListProps {
  /** In the order in which they are tried. */
  providers: readonly ProviderRecord[]
  onEdit: (provider: ProviderRecord) => void
  onRemove: (provider: ProviderRecord) => void
  onModels: (provider: ProviderRecord) => void
}

function ProviderList({ providers, onEdit, onRemove, onModels }: ProviderListProps) {
  const { data: usage } = useQuery(providersLastDay)
  const decimals = chooseUsdDecimals([...(usage?.values() ?? [])].map(({ costUsd }) => costUsd))
  const byId = new Map(providers.map((provider) => [provider.id, provider]))
  const { order, dragged, announcement, move, rowProps, handleProps } = useReorder({
    ids: [...byId.keys()],
    getName: (id) => byId.get(id)?.name ?? id,
    onReorder: (ids) => reportFailure(orderProviders(ids)),
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
      <ul className="divide-y divide-line">
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
