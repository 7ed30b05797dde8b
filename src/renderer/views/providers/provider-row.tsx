import { ExternalLink, Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { toast } from 'sonner'
import type { ProviderRecord } from '../../../shared/providers.ts'
import { toApiError } from '../../api-error.ts'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { cn } from '../../components/cn.ts'
import { openExternal } from '../../components/external.ts'
import { Menu } from '../../components/menu.tsx'
import { Switch } from '../../components/switch.tsx'
import { fetchProviderModels, putProvider } from '../../server-state/mutations.ts'
import { formatModelCount } from './found-providers.tsx'
import { testProvider, useProviderTests } from './provider-tests.ts'
import { TestResult } from './test-result.tsx'

interface ProviderRowProps {
  provider: ProviderRecord
  onEdit: () => void
  onRemove: () => void
  onModels: () => void
}

const states: Record<ProviderRecord['health']['state'], { label: string; tone: Tone }> = {
  ready: { label: 'Ready', tone: 'good' },
  resting: { label: 'Paused', tone: 'warn' },
  off: { label: 'Off', tone: 'plain' },
  'no-credential': { label: 'No credential', tone: 'bad' },
}

export function ProviderRow({ provider, onEdit, onRemove, onModels }: ProviderRowProps) {
  const test = useProviderTests((tests) => tests[provider.id])
  const { id, name, health, modelCount, consoleUrl } = provider
  // The gateway's health changes only with real traffic, so a failed test is newer.
  const failedTest = health.state === 'ready' && test?.state === 'done' && !test.ok
  const { label, tone }: { label: string; tone: Tone } = failedTest
    ? { label: 'Test failed', tone: 'bad' }
    : states[health.state]
  const sandbox = provider.apiFormat === 'sandbox'

  const setEnabled = async (enabled: boolean) => {
    try {
      await putProvider(id, { enabled })
      toast.success(`${name} ${enabled ? 'enabled' : 'disabled'}.`)
    } catch (thrown) {
      toast.error(toApiError(thrown).message)
    }
  }
  const refreshModels = async () => {
    try {
      toast.success(`${name} has ${formatModelCount(await fetchProviderModels(id))}.`)
    } catch (thrown) {
      toast.error(toApiError(thrown).message)
    }
  }

  return (
    <li aria-label={name} className="px-4 py-3">
      <div className="flex items-center gap-4">
        <div className="min-w-0 flex-1">
          <div className="flex items-center gap-2">
            <h2 className="truncate font-semibold">{name}</h2>
            <Badge tone={tone}>{label}</Badge>
            {provider.local ? <Badge>Local</Badge> : null}
            {provider.credentialCount > 1 ? <Badge>{provider.credentialCount} credentials</Badge> : null}
          </div>
          <p className={cn('text-ink-3 text-sm', !sandbox && 'truncate')}>
            {sandbox ? (
              'Built in. Runs on this computer with example prices and needs no account.'
            ) : (
              <span className="font-mono">{provider.baseUrl}</span>
            )}
          </p>
        </div>
        <Button small variant="quiet" onClick={onModels} disabled={modelCount === 0}>
          {formatModelCount(modelCount)}
        </Button>
        <Button small pending={test?.state === 'running'} onClick={() => void testProvider(id)}>
          Test
        </Button>
        <Switch label={`Use ${name}`} on={provider.enabled} onChange={(on) => void setEnabled(on)} />
        <Menu
          label={`More actions for ${name}`}
          items={[
            ...(sandbox ? [] : [{ label: 'Edit', icon: Pencil, onSelect: onEdit }]),
            { label: 'Refresh models', icon: RefreshCw, onSelect: () => void refreshModels() },
            ...(consoleUrl
              ? [
                  {
                    label: 'Open provider console',
                    icon: ExternalLink,
                    onSelect: () => void openExternal(consoleUrl),
                  },
                ]
              : []),
            ...(sandbox
              ? []
              : ([
                  'separator',
                  { label: 'Remove', icon: Trash2, danger: true, onSelect: onRemove },
                ] as const)),
          ]}
        />
      </div>
      {test?.state === 'done' ? <TestResult result={test} className="mt-2" /> : null}
      {health.state === 'no-credential' ? (
        <p className="mt-2 text-ink-2 text-sm">
          This provider requires a credential.{' '}
          <button type="button" onClick={onEdit} className="font-medium text-accent-ink hover:underline">
            Enter a credential
          </button>
        </p>
      ) : null}
      {health.state === 'resting' && health.lastError ? (
        <p className="mt-2 text-ink-2 text-sm">
          Requests are paused after repeated failures. Last error: {health.lastError}
        </p>
      ) : null}
    </li>
  )
}
