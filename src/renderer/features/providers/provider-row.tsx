import { useQuery } from '@tanstack/react-query'
import {
  ArrowDown,
  ArrowUp,
  CircleAlert,
  ExternalLink,
  GripVertical,
  Pencil,
  RefreshCw,
  Trash2,
} from 'lucide-react'
import type { ComponentProps } from 'react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import { CredentialUses } from '../../../features/credential-use/view/credential-uses.tsx'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { isPlan, PLAN_VENDORS } from '../../../shared/api/terms.ts'
import type { UsageRow } from '../../../shared/api/usage.ts'
import { api } from '../../data/api.ts'
import { fetchProviderModels, putProvider, saveWithUndo } from '../../data/mutations.ts'
import { type Query, volatileQuery } from '../../data/query-client.ts'
import { Badge, type Tone } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { Switch } from '../../kit/controls.tsx'
import { openExternal } from '../../kit/external.ts'
import { formatQuantity, isolate } from '../../kit/format.ts'
import { Menu, type MenuItems, SecondaryMenu } from '../../kit/menu.tsx'
import { reportFailure } from '../../kit/show-error.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { ProviderLogo } from './provider-logo.tsx'
import {
  hasManyErrors,
  ProviderStats,
  type TestOutcome,
  TestResult,
  testProvider,
  UseBaseUrl,
  useProviderTests,
} from './provider-stats.tsx'

interface ProviderRowProps {
  provider: ProviderRecord
  /** The usage of the last day; undefined without requests. */
  usage: UsageRow | undefined
  /** The decimals of the amounts in all rows. */
  decimals: number
  /** Null at the ends of the list. */
  onMoveUp: (() => void) | null
  onMoveDown: (() => void) | null
  onEdit: () => void
  onRemove: () => void
  onModels: () => void
  isDragged: boolean
  isMarked: boolean
  rowProps: ComponentProps<'li'>
  handleProps: ComponentProps<'button'>
}

const states: Record<ProviderRecord['health']['state'], ProviderState> = {
  ready: { label: 'Ready', tone: 'good' },
  resting: { label: 'Paused', tone: 'warn' },
  off: { label: 'Off', tone: 'plain' },
  'no-credential': { label: 'No API key', tone: 'bad' },
}

export function ProviderRow({
  provider,
  usage,
  decimals,
  onMoveUp,
  onMoveDown,
  onEdit,
  onRemove,
  onModels,
  isDragged,
  isMarked,
  rowProps,
  handleProps,
}: ProviderRowProps) {
  const test = useProviderTests((tests) => tests[provider.id])
  const { id, name, modelCount } = provider
  const manyErrors = usage !== undefined && hasManyErrors(usage)
  const plan = isPlan(id)
  const items = listActions(provider, { onMoveUp, onMoveDown, onEdit, onRemove })
  return (
    <SecondaryMenu label="Provider" getItems={() => items}>
      <li
        aria-label={name}
        aria-description={isMarked ? 'Selected' : undefined}
        data-row={id}
        {...rowProps}
        className={cn(
          'py-3 pr-4 pl-1.5',
          (isDragged || isMarked) && 'bg-accent-soft',
          isDragged && 'opacity-70',
        )}
      >
        <div className="flex items-center gap-3 max-sm:flex-wrap">
          <button
            type="button"
            aria-label={`Move ${isolate(name)}`}
            title="Drag, or press the up and down arrow keys"
            {...handleProps}
            className="flex h-8 w-5 shrink-0 cursor-grab items-center justify-center rounded-sm text-ink-3 hover:text-ink"
          >
            <GripVertical size={14} aria-hidden />
          </button>
          <ProviderLogo provider={provider} size={20} className={provider.enabled ? '' : 'text-ink-3'} />
          <ProviderName provider={provider} state={getState(provider, manyErrors, test)} />
          {/* In the narrowest windows, on a line of their own below the name. */}
          <div className="flex shrink-0 items-center gap-3 max-sm:basis-full max-sm:pl-16">
            <ProviderStats usage={usage} decimals={decimals} />
            {plan ? null : (
              <>
                <Button
                  small
                  variant="quiet"
                  onClick={onModels}
                  disabled={modelCount === 0}
                  className="w-24 justify-end max-md:hidden"
                >
                  {formatQuantity(modelCount, 'model')}
                </Button>
                <Button small pending={test?.state === 'running'} onClick={() => void testProvider(id)}>
                  Test
                </Button>
              </>
            )}
            <Switch
              label={`Use ${isolate(name)}`}
              on={provider.enabled}
              onChange={(on) => void reportFailure(setEnabled(provider, on))}
            />
            <Menu label={`More actions for ${isolate(name)}`} items={items} />
          </div>
        </div>
        <ProviderNotes provider={provider} test={test} manyErrors={manyErrors} onEdit={onEdit} />
      </li>
    </SecondaryMenu>
  )
}

function setEnabled({ id, name }: ProviderRecord, enabled: boolean): Promise<void> {
  return saveWithUndo({
    message: `${isolate(name)} ${enabled ? 'enabled' : 'disabled'}.`,
    save: () => putProvider(id, { enabled }),
    undo: () => putProvider(id, { enabled: !enabled }),
  })
}

async function refreshModels({ id, name }: ProviderRecord): Promise<void> {
  toast.success(`${isolate(name)} has ${formatQuantity(await fetchProviderModels(id), 'model')}.`)
}

function listActions(
  provider: ProviderRecord,
  {
    onMoveUp,
    onMoveDown,
    onEdit,
    onRemove,
  }: Pick<ProviderRowProps, 'onMoveUp' | 'onMoveDown' | 'onEdit' | 'onRemove'>,
): MenuItems {
  const { id, apiFormat, consoleUrl } = provider
  const isSandbox = apiFormat === 'sandbox'
  const refresh = () => void reportFailure(refreshModels(provider))
  return [
    ...(isSandbox || isPlan(id) ? [] : [{ label: 'Edit', icon: Pencil, onSelect: onEdit }]),
    ...(isPlan(id) ? [] : [{ label: 'Refresh models', icon: RefreshCw, onSelect: refresh }]),
    ...(consoleUrl
      ? [
          {
            label: 'Open provider console',
            icon: ExternalLink,
            onSelect: () => void openExternal(consoleUrl),
          },
        ]
      : []),
    'separator',
    { label: 'Move up', icon: ArrowUp, disabled: onMoveUp === null, onSelect: () => onMoveUp?.() },
    { label: 'Move down', icon: ArrowDown, disabled: onMoveDown === null, onSelect: () => onMoveDown?.() },
    ...(isSandbox
      ? []
      : (['separator', { label: 'Remove', icon: Trash2, danger: true, onSelect: onRemove }] as const)),
  ]
}

interface ProviderState {
  label: string
  tone: Tone
}

function ProviderName({ provider, state }: { provider: ProviderRecord; state: ProviderState }) {
  const { id, name, apiFormat, local, credentialCount, baseUrl } = provider
  return (
    <div className="min-w-0 flex-1">
      <div className="flex items-center gap-2 max-sm:flex-wrap">
        <h2 className="truncate font-semibold">
          <bdi>{name}</bdi>
        </h2>
        <Badge tone={state.tone}>{state.label}</Badge>
        {local ? <Badge>Local</Badge> : null}
        {credentialCount > 1 ? <Badge>{`${credentialCount} API keys`}</Badge> : null}
      </div>
      <p className="truncate text-ink-3 text-sm">
        {apiFormat === 'sandbox' ? (
          'Built in, with example prices. Needs no account.'
        ) : isPlan(id) ? (
          `Paid by your ${PLAN_VENDORS[id]} plan, with the sign-in that its client sends.`
        ) : (
          <span className="font-mono">{baseUrl}</span>
        )}
      </p>
    </div>
  )
}

interface ProviderNotesProps {
  provider: ProviderRecord
  test: TestOutcome | undefined
  manyErrors: boolean
  onEdit: () => void
}

/** What the last test found, and what is missing or fails. */
function ProviderNotes({ provider, test, manyErrors, onEdit }: ProviderNotesProps) {
  const { id, enabled, health } = provider
  const suggested = test?.state === 'done' ? test.suggestedBaseUrl : undefined
  const applyBaseUrl = async (baseUrl: string) => {
    await putProvider(id, { baseUrl })
    await testProvider(id)
  }
  const enter = (
    <button type="button" onClick={onEdit} className="font-medium text-accent-ink hover:underline">
      Enter an API key
    </button>
  )
  return (
    <div className="pl-[4.25rem]">
      {test?.state === 'done' ? <TestResult result={test} className="mt-2" /> : null}
      {suggested === undefined ? null : (
        <div className="mt-2">
          <UseBaseUrl baseUrl={suggested} onUse={() => void reportFailure(applyBaseUrl(suggested))} />
        </div>
      )}
      {health.state === 'no-credential' ? (
        <p className="mt-2 text-ink-2 text-sm">This provider requires an API key. {enter}</p>
      ) : null}
      {provider.credentialCount > 1 ? <CredentialUses provider={provider} /> : null}
      {enabled && (health.lastError !== null || manyErrors) ? <LastFailure provider={provider} /> : null}
    </div>
  )
}

function getState(
  { health: { state, lastError } }: ProviderRecord,
  manyErrors: boolean,
  test: TestOutcome | undefined,
): ProviderState {
  if (state !== 'ready') return states[state]
  // The gateway's health changes only with real traffic, so a failed test is newer.
  if (test?.state === 'done' && !test.ok) return { label: 'Test failed', tone: 'bad' }
  if (lastError !== null) return { label: 'Failing', tone: 'bad' }
  return manyErrors ? { label: 'Many errors', tone: 'warn' } : states.ready
}

function lastFailedRequest(provider: string): Query<RequestRecord | null> {
  return volatileQuery(['usage-in', 'last-failed-request', provider], async () => {
    const { data } = await api('listRequests', { query: { provider, status: 'failed', limit: 1 } })
    return data[0] ?? null
  })
}

/** The last error of a failing provider, and when it was. */
function LastFailure({ provider }: { provider: ProviderRecord }) {
  const { state, lastError, lastErrorAt } = provider.health
  const { data: request = null } = useQuery(lastFailedRequest(provider.id))
  const isRequests =
    request !== null && (lastErrorAt === null || Date.parse(request.createdAt) > Date.parse(lastErrorAt))
  const message = isRequests ? request.error?.message : lastError
  const at = isRequests ? request.createdAt : lastErrorAt
  if (!message || at === null) return null
  return (
    <p className="mt-2 flex gap-2 text-ink-2 text-sm">
      <CircleAlert size={14} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <span className="min-w-0 break-words">
        {state === 'resting' ? 'Paused after repeated failures. ' : null}
        Last error <RelativeTime iso={at} />: {message}{' '}
        <Link
          href={`/requests?provider=${encodeURIComponent(provider.id)}&status=failed`}
          className="font-medium text-accent-ink hover:underline"
        >
          View failed requests
        </Link>
      </span>
    </p>
  )
}
