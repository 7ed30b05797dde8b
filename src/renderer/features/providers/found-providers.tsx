import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { toast } from 'sonner'
import type { EnvironmentCredential, LocalServer, ProviderRecord } from '../../../shared/api/providers.ts'
import { fetchProviderModels, importProvider, putProvider } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { type ApiError, toApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { formatQuantity, isolate } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { credentialPlace } from './credential-fields.tsx'
import { ProviderLogo } from './provider-logo.tsx'

export function FoundProviders() {
  const { data: providers = [] } = useQuery(queries.providers)
  const { data: servers, error: serversError } = useQuery(queries.localServers)
  const { data: credentials, error: credentialsError } = useQuery(queries.environmentCredentials)
  const { data: info } = useQuery(queries.gateway)
  const byId = (id: string) => providers.find((provider) => provider.id === id) ?? null
  const running = listAddableServers((!serversError && servers) || [], providers)
  const importable = listImportableCredentials((!credentialsError && credentials) || [], providers)
  // Hidden by CSS and not by a condition, because a section without finds may still show the error of its last one.
  return (
    <div className="mb-5 flex flex-col gap-5 not-has-[section]:hidden">
      <Finds
        title="Found on this computer"
        error={serversError}
        action="Add"
        finds={running.map(({ id, name, baseUrl, modelCount }) => ({
          id,
          name,
          provider: byId(id),
          note: (
            <>
              <span className="font-mono">{new URL(baseUrl).host}</span>,{' '}
              {formatQuantity(modelCount, 'model')}
            </>
          ),
        }))}
        onAdd={(id) => putProvider(id, {})}
      />
      <Finds
        title="In your environment"
        hint={credentialPlace(info).imported}
        error={credentialsError}
        action="Import"
        finds={importable.map(({ id, name, variable }) => ({
          id,
          name,
          provider: byId(id),
          note: <span className="font-mono">{variable}</span>,
        }))}
        onAdd={importProvider}
      />
    </div>
  )
}

interface Find {
  id: string
  name: string
  note: ReactNode
  provider: ProviderRecord | null
}

interface FindsProps {
  title: string
  hint?: string
  error: ApiError | null
  /** The label of each button. */
  action: string
  finds: Find[]
  /** Adds the provider; its models are fetched afterwards. */
  onAdd: (id: string) => Promise<void>
}

function Finds({ title, hint, error, action, finds, onAdd }: FindsProps) {
  const [adding, setAdding] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  if (finds.length === 0 && error === null && failure === null) return null

  const add = async ({ id, name }: Find) => {
    setAdding(id)
    setFailure(null)
    let added = false
    try {
      await onAdd(id)
      added = true
      toast.success(`Added ${isolate(name)} with ${formatQuantity(await fetchProviderModels(id), 'model')}.`)
    } catch (thrown) {
      const { message } = toApiError(thrown)
      setFailure(
        added ? `${isolate(name)} was added, but its models could not be fetched: ${message}` : message,
      )
    } finally {
      setAdding(null)
    }
  }

  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <div>
        <h3 className="font-medium text-ink-2 text-sm">{title}</h3>
        {hint && finds.length > 0 ? <p className="text-ink-3 text-sm">{hint}</p> : null}
      </div>
      {finds.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {finds.map((find) => (
            <li key={find.id} className="flex items-center gap-3 px-3 py-2">
              <ProviderLogo provider={find.provider} size={20} />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{find.name}</span>
                <span className="block truncate text-ink-3 text-sm">{find.note}</span>
              </span>
              <Button
                small
                pending={adding === find.id}
                disabled={adding !== null}
                onClick={() => void add(find)}
              >
                {action} {find.name}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <InlineError error={failure ?? error} />
    </section>
  )
}

/** Running local servers that are not configured. `providers` decides, because it is newer than the discovery. */
export function listAddableServers(
  servers: readonly LocalServer[],
  providers: readonly Pick<ProviderRecord, 'id' | 'configured'>[],
): LocalServer[] {
  const configured = new Set(providers.filter((provider) => provider.configured).map(({ id }) => id))
  return servers.filter(({ id, running }) => running && !configured.has(id))
}

/** Environment credentials of providers that have none yet. */
export function listImportableCredentials(
  credentials: readonly EnvironmentCredential[],
  providers: readonly Pick<ProviderRecord, 'id' | 'hasCredential'>[],
): EnvironmentCredential[] {
  const withCredential = new Set(providers.filter((provider) => provider.hasCredential).map(({ id }) => id))
  return credentials.filter(({ id }) => !withCredential.has(id))
}
