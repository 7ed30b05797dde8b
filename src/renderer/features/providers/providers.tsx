import { useQuery } from '@tanstack/react-query'
import { PlugZap, Plus, Power, ServerCog } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { isPlan } from '../../../shared/api/terms.ts'
import type { UsageRow } from '../../../shared/api/usage.ts'
import { api } from '../../data/api.ts'
import { putProvider, saveWithUndo } from '../../data/mutations.ts'
import { queries, refreshProviders } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { chooseUsdDecimals, formatQuantity } from '../../kit/format.ts'
import { MarkedBar } from '../../kit/marked-bar.tsx'
import { EmptyState, ErrorText, QueryState } from '../../kit/notice.tsx'
import { Card, Page } from '../../kit/page.tsx'
import { getRowId, isControl, useMarker } from '../../kit/row-focus.ts'
import { reportFailure } from '../../kit/show-error.ts'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { useReorder } from '../../kit/use-reorder.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { AddProvider } from './add-provider.tsx'
import { credentialPlace } from './credential-fields.tsx'
import { ProviderRow } from './provider-row.tsx'
import { providersLastDay, removeTestedProvider, StatsHead, testProvider } from './provider-stats.tsx'
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
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const marker = useMarker({ marked, onMark: setMarked }, () => order)
  return (
    <>
      <MarkedProviders
        providers={rows.filter(({ id }) => marked.has(id))}
        usage={usage}
        onClear={() => setMarked(new Set())}
      />
      <div className="flex items-center gap-3 border-line border-b py-2 pr-4 pl-4 text-ink-3 text-xs">
        <p className="min-w-0 flex-1 font-normal text-sm">
          If several providers have a model, they are tried from top to bottom.
        </p>
        <span className="max-sm:hidden">Last 24 hours</span>
        <StatsHead />
        {/* Equals the width of the rest of a row: the number of models, the test, the switch and the menu. */}
        <span className="w-58.5 shrink-0 max-md:w-31.5 max-sm:hidden" />
      </div>
      <ul
        className="divide-y divide-line"
        onKeyDown={(event) => marker?.onKey(getRowId(event.target), event)}
        onMouseDown={marker?.onMouseDown}
        onClick={(event) => {
          const id = getRowId(event.target)
          if (id !== undefined && !isControl(event.target)) marker?.onClick(id, event)
        }}
      >
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
            isMarked={marked.has(provider.id)}
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

interface MarkedProvidersProps {
  providers: readonly ProviderRecord[]
  usage: ReadonlyMap<string, UsageRow> | undefined
  onClear: () => void
}

/** What the marked providers have cost in the last day, and what can be done with all of them. */
function MarkedProviders({ providers, usage, onClear }: MarkedProvidersProps) {
  const { pending, error, submit } = useSubmit()
  const used = providers.filter(({ enabled }) => enabled)
  const setEnabled = (enabled: boolean) => {
    const changed = enabled ? providers : used
    const put = async (enabled: boolean) => {
      for (const { id } of changed) await putProvider(id, { enabled })
    }
    const count = formatQuantity(changed.length, 'provider')
    return saveWithUndo({
      message: enabled ? `${count} enabled.` : `${count} disabled.`,
      save: () => put(enabled),
      undo: () => put(!enabled),
    })
  }
  const test = async () => {
    await Promise.all(providers.filter(({ id }) => !isPlan(id)).map(({ id }) => testProvider(id)))
  }
  const rows = providers.map(({ id }) => ({ id, costUsd: usage?.get(id)?.costUsd ?? 0 }))
  const isDisabling = used.length > 0
  return (
    <MarkedBar rows={rows} onClear={onClear} inCard>
      <ErrorText error={error} />
      <Button small icon={PlugZap} onClick={() => void test()}>
        Test
      </Button>
      <Button
        small
        icon={Power}
        pending={pending}
        onClick={() => void submit(() => setEnabled(!isDisabling))}
      >
        {isDisabling ? 'Disable' : 'Enable'}
      </Button>
    </MarkedBar>
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
