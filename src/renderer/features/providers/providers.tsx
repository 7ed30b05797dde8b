import { useQuery } from '@tanstack/react-query'
import { Plus, ServerCog } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Card, Page } from '../../kit/page.tsx'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { AddProvider } from './add-provider.tsx'
import { credentialPlace } from './credential-places.ts'
import { ProviderList } from './provider-list.tsx'
import { removeTestedProvider } from './provider-tests.ts'
import { SetUpProvider } from './set-up-provider.tsx'

/** How often the health of the providers is read while the view is open. */
const HEALTH_MS = 15_000

export function Providers() {
  const {
    data: providers,
    error,
    isPending,
    isLoadingError,
    refetch,
  } = useQuery({
    ...queries.providers,
    // Single failures are no event.
    refetchInterval: HEALTH_MS,
  })
  const { data: info } = useQuery(queries.gateway)
  const [search, setSearch] = useSearchParams()
  const [, navigate] = useLocation()
  const [editedId, setEditedId] = useAddressParam('edit')
  const [removing, setRemoving] = useState<ProviderRecord | null>(null)
  const adding = search.has('add')
  const setAdding = (on: boolean) => setSearch(on ? { add: '1' } : {}, { replace: true })
  const configured = (providers ?? []).filter((provider) => provider.configured)
  const editing = configured.find(({ id }) => id === editedId)
  return (
    <Page
      title="Providers"
      subtitle="The services and local servers that run the models."
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setAdding(true)}>
          Add provider
        </Button>
      }
    >
      <Card>
        {isPending ? <SkeletonRows /> : null}
        {isLoadingError ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
        {providers && configured.length === 0 ? (
          <EmptyState
            icon={ServerCog}
            title="No providers yet"
            action={
              <Button icon={Plus} onClick={() => setAdding(true)}>
                Add a provider
              </Button>
            }
          >
            A provider runs the models. {credentialPlace(info).only}
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
      {adding ? <AddProvider onClose={() => setAdding(false)} /> : null}
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
