// Owns the view of providers and of the models they serve. Credentials go in here and are never shown.
import { Plus, ServerCog } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import type { ProviderRecord } from '../../../shared/providers.ts'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Empty, Failed, SkeletonRows } from '../../components/notice.tsx'
import { Card, Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useModels } from '../../stores/models.ts'
import { useProviders } from '../../stores/providers.ts'
import { AddProvider } from './add-provider.tsx'
import { ModelTable } from './model-table.tsx'
import { ProviderRow } from './provider-row.tsx'
import { SetUpProvider } from './set-up-provider.tsx'

export function Providers() {
  const { state, error, providers, refresh, removeProvider } = useProviders()
  const models = useModels((store) => store.models)
  const [search, setSearch] = useSearchParams()
  const [editing, setEditing] = useState<ProviderRecord | null>(null)
  const [removing, setRemoving] = useState<ProviderRecord | null>(null)
  const adding = search.has('add')
  const setAdding = (on: boolean) => setSearch(on ? { add: '1' } : {}, { replace: true })
  const configured = providers.filter((provider) => provider.configured)
  const tab = search.get('tab') === 'models' ? 'models' : 'providers'

  const list = (
    <Card>
      {state === 'first' ? <SkeletonRows /> : null}
      {state === 'failed' ? <Failed error={error} onRetry={() => void refresh()} /> : null}
      {state === 'ready' && configured.length === 0 ? (
        <Empty
          icon={ServerCog}
          title="No provider yet"
          action={
            <Button icon={Plus} onClick={() => setAdding(true)}>
              Add the first provider
            </Button>
          }
        >
          A provider serves the models. Its credential goes into the keychain of this computer and nowhere
          else.
        </Empty>
      ) : null}
      <ul className="divide-y divide-line">
        {configured.map((provider) => (
          <ProviderRow
            key={provider.id}
            provider={provider}
            onEdit={() => setEditing(provider)}
            onRemove={() => setRemoving(provider)}
            onModels={() => setSearch({ tab: 'models', provider: provider.id })}
          />
        ))}
      </ul>
    </Card>
  )

  return (
    <Page
      title="Providers"
      subtitle="Where the models come from."
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setAdding(true)}>
          Add provider
        </Button>
      }
    >
      <Tabs
        label="Providers and models"
        value={tab}
        onChange={(id) => setSearch(id === 'models' ? { tab: id } : {}, { replace: true })}
        tabs={[
          { id: 'providers', label: 'Providers', content: list },
          {
            id: 'models',
            label: models.length > 0 ? `Models (${models.length})` : 'Models',
            content: <ModelTable providerId={search.get('provider')} onAdd={() => setAdding(true)} />,
          },
        ]}
      />
      {adding ? <AddProvider onClose={() => setAdding(false)} /> : null}
      {editing ? <SetUpProvider provider={editing} onClose={() => setEditing(null)} /> : null}
      <Confirm
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Remove ${removing?.name ?? ''}?`}
        description="Its models can no longer be called, and its credential is deleted from the keychain. What was spent with it stays in the record."
        action="Remove provider"
        onConfirm={async () => {
          if (removing) await removeProvider(removing.id)
        }}
      />
    </Page>
  )
}
