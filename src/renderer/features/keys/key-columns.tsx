import { Activity, Cable, ChartColumn, CirclePause, Copy, Pencil, Play, Trash2 } from 'lucide-react'
import { useLocation } from 'wouter'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { describeScope, limitsOfKey, nearestLimit } from '../../../shared/limits/limits.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { copyText } from '../../kit/copy.tsx'
import {
  formatCount,
  formatDay,
  formatMoment,
  formatQuantity,
  formatTime,
  isolate,
} from '../../kit/format.ts'
import { Gauge } from '../../kit/gauge.tsx'
import { Menu, type MenuItems } from '../../kit/menu.tsx'
import { Money } from '../../kit/money.tsx'
import type { Column, Sort } from '../../kit/table-order.ts'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { useNow } from '../../kit/use-now.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { scopeLabel } from '../../parts/keys/key-draft.ts'
import { LimitButton } from '../../parts/limits/limit-form.tsx'
import { describeReset } from '../../parts/limits/limit-text.ts'
import { openPauseDialog, resumeInPlace } from '../../parts/pausing/pausing.ts'

type KeyColumn = 'name' | 'scope' | 'spend' | 'used' | 'created' | 'actions'

export const NEWEST_FIRST: Sort<KeyColumn> = { column: 'created', descending: true }

export const keyColumns: readonly Column<KeyMetadata, KeyColumn>[] = [
  {
    id: 'name',
    head: 'Name',
    sortBy: ({ name }) => name,
    headClass: 'w-[32%] lg:w-[26%]',
    cell: (record) => <Name record={record} />,
  },
  {
    id: 'scope',
    head: 'Scope',
    sortBy: ({ scope }) => scopeLabel(scope),
    className: 'max-lg:hidden',
    headClass: 'w-40',
    cell: ({ scope, revokedAt }) => (
      <Badge tone={scope === 'admin' && revokedAt === null ? 'accent' : 'plain'}>{scopeLabel(scope)}</Badge>
    ),
  },
  {
    id: 'spend',
    head: 'Spend',
    sortBy: ({ spendUsd }) => spendUsd,
    descendingFirst: true,
    cellClass: 'max-sm:col-span-2 max-sm:row-start-2',
    cell: (record) =>
      record.revokedAt === null ? (
        <NearestGauge record={record} />
      ) : (
        <>
          <Money usd={record.spendUsd} /> spent
        </>
      ),
  },
  {
    id: 'used',
    head: 'Last used',
    sortBy: ({ lastUsedAt }) => (lastUsedAt === null ? undefined : Date.parse(lastUsedAt)),
    descendingFirst: true,
    className: 'max-lg:hidden',
    headClass: 'w-30',
    cellClass: 'truncate',
    cell: ({ lastUsedAt, revokedAt }) => (
      <span className={revokedAt === null ? 'text-ink-2' : undefined}>
        {lastUsedAt ? <RelativeTime iso={lastUsedAt} /> : 'Never'}
      </span>
    ),
  },
  {
    id: 'created',
    head: 'Created',
    sortBy: ({ createdAt }) => Date.parse(createdAt),
    descendingFirst: true,
    className: 'max-[1400px]:hidden',
    headClass: 'w-32',
    cellClass: 'truncate',
    cell: ({ createdAt, revokedAt }) => (
      <span className={revokedAt === null ? 'text-ink-2' : undefined}>
        <RelativeTime iso={createdAt} />
      </span>
    ),
  },
  {
    id: 'actions',
    head: 'Actions',
    hideHead: true,
    headClass: 'w-38 max-sm:hidden',
    cellClass: 'max-sm:pl-0',
    cell: (record) => <Actions record={record} />,
  },
]

/** The name is the control for the keyboard; a click anywhere else in the row does the same. */
function Name({ record }: { record: KeyMetadata }) {
  const [, setOpenId] = useAddressParam('edit')
  const revoked = record.revokedAt !== null
  const paused = !revoked && record.pausedAt !== null
  const secret = formatSecretHint(record)
  const limits = formatKeyLimits(record)
  return (
    <>
      <div className="flex items-center gap-2">
        <button
          type="button"
          onClick={() => setOpenId(record.id)}
          className={cn('block min-w-0 truncate rounded-sm font-medium', !revoked && 'text-ink')}
          title={record.name}
        >
          <bdi>{record.name}</bdi>
        </button>
        {revoked ? null : <KeyState record={record} />}
      </div>
      {paused && record.pauseReason !== null ? (
        <p className="text-warn text-xs sm:truncate" title={record.pauseReason}>
          {record.pauseReason}
        </p>
      ) : (
        <p className="text-ink-3 text-xs sm:truncate">
          {record.purpose === 'playground' ? (
            'For the playground'
          ) : (
            <>
              <span className="lg:hidden">{scopeLabel(record.scope)}</span>
              {secret === null ? null : (
                <>
                  <span className="lg:hidden"> · </span>
                  <span className="whitespace-nowrap font-mono">{secret}</span>
                </>
              )}
            </>
          )}
          {[record.tag, limits, formatAllowedModels(record), record.strict ? 'strict' : '']
            .filter(Boolean)
            .map((fact, index) => (
              <span key={fact} className="max-lg:hidden">
                {secret === null && index === 0 ? '' : ' · '}
                {fact}
              </span>
            ))}
        </p>
      )}
    </>
  )
}

function Actions({ record }: { record: KeyMetadata }) {
  const getItems = useKeyItems()
  const revoked = record.revokedAt !== null
  const paused = !revoked && record.pausedAt !== null
  return (
    <div className="flex items-center justify-end gap-1">
      {paused ? (
        <Button small icon={Play} onClick={() => void resumeInPlace(record)}>
          Resume
        </Button>
      ) : null}
      {revoked ? <Badge>Revoked</Badge> : null}
      {paused || revoked ? null : (
        <LimitButton keyId={record.id} kind={nearestLimit(limitsOfKey(record))?.kind} />
      )}
      <Menu label={`More actions for ${isolate(record.name)}`} items={getItems(record)} />
    </div>
  )
}

/** The menu of a key. */
export function useKeyItems(): (record: KeyMetadata) => MenuItems {
  const [, navigate] = useLocation()
  const [, setOpenId] = useAddressParam('edit')
  const [, setRevokingId] = useAddressParam('revoke')
  return (record) => {
    const { id, purpose, revokedAt } = record
    const revoked = revokedAt !== null
    return [
      { label: revoked ? 'Details' : 'Edit', icon: Pencil, onSelect: () => setOpenId(id) },
      // Without a secret no tool can use it.
      ...(revoked || purpose === 'playground'
        ? []
        : [
            {
              label: 'Connect a tool',
              icon: Cable,
              onSelect: () => navigate(`/connect?key=${id}`),
            },
          ]),
      {
        label: 'View requests',
        icon: Activity,
        onSelect: () => navigate(`/requests?key=${id}`),
      },
      {
        label: 'View usage',
        icon: ChartColumn,
        onSelect: () => navigate(`/usage?key=${id}`),
      },
      { label: 'Copy key ID', icon: Copy, onSelect: () => void copyText(id) },
      ...(revoked
        ? []
        : [
            pauseItem(record),
            'separator' as const,
            { label: 'Revoke', icon: Trash2, danger: true, onSelect: () => setRevokingId(id) },
          ]),
    ]
  }
}

function pauseItem(record: KeyMetadata) {
  const { id, name, pausedAt } = record
  return pausedAt === null
    ? { label: 'Pause', icon: CirclePause, onSelect: () => openPauseDialog({ id, name }) }
    : { label: 'Resume', icon: Play, onSelect: () => void resumeInPlace(record) }
}

/** The nearest limit of the key, when it resets, and how many others it has. */
function NearestGauge({ record }: { record: KeyMetadata }) {
  const now = useNow()
  const zone = useTimeZone()
  const limits = limitsOfKey(record)
  const nearest = nearestLimit(limits)
  const label = `Spend of ${isolate(record.name)}`
  if (nearest === null) {
    return <Gauge label={label} spentUsd={record.spendUsd} reservedUsd={record.reservedUsd} limitUsd={null} />
  }
  const { spentUsd, reservedUsd, limitUsd, warnsOnly } = nearest
  const others = limits.length - 1
  const more = [
    warnsOnly ? 'only warns' : '',
    describeReset(nearest, now, zone),
    others === 0 ? '' : formatQuantity(others, 'more limit'),
  ].filter((fact) => fact !== '')
  const facts = more.join(' · ')
  return (
    <Gauge
      label={label}
      spentUsd={spentUsd}
      reservedUsd={reservedUsd}
      limitUsd={limitUsd}
      warnsOnly={warnsOnly}
      after={describeScope(nearest)}
      {...(facts === '' ? {} : { more: `${facts.charAt(0).toUpperCase()}${facts.slice(1)}` })}
    />
  )
}

/** Why the key is refused, or will be soon. */
function KeyState({ record: { pausedAt, pauseReason, expiresAt } }: { record: KeyMetadata }) {
  const now = useNow()
  const zone = useTimeZone()
  if (pausedAt !== null) {
    return (
      <span title={pauseReason ?? undefined} className="flex shrink-0">
        <Badge tone="warn">Paused</Badge>
      </span>
    )
  }
  if (expiresAt === null) return null
  return (
    <span title={formatMoment(expiresAt, zone)} className="flex shrink-0">
      <Badge tone={Date.parse(expiresAt) <= now ? 'bad' : 'plain'}>{formatEnd(expiresAt, now, zone)}</Badge>
    </span>
  )
}

/** The end of the secret, by which a key in a file can be recognized; null when it is not known. */
export function formatSecretHint({ secretHint }: KeyMetadata): string | null {
  return secretHint === null ? null : `tg-…${secretHint}`
}

/** The key's own limits per minute; an empty string when it has none. */
function formatKeyLimits({ rpmLimit, tpmLimit }: KeyMetadata): string {
  const rpm = rpmLimit === null ? [] : [`${formatCount(rpmLimit)} requests`]
  const tpm = tpmLimit === null ? [] : [`${formatCount(tpmLimit, true)} tokens`]
  const limits = [...rpm, ...tpm]
  return limits.length > 0 ? `${limits.join(', ')} per minute` : ''
}

/** "only claude-*", "only 3 models"; an empty string when all are allowed. */
function formatAllowedModels({ allowedModels }: KeyMetadata): string {
  if (allowedModels === null) return ''
  return allowedModels.length === 1 ? `only ${allowedModels[0]}` : `only ${allowedModels.length} models`
}

/** "Ends at 14:02", "Ends on 30 Nov" or "Ended". */
function formatEnd(expiresAt: string, nowMs: number, zone?: string): string {
  const leftMs = Date.parse(expiresAt) - nowMs
  if (leftMs <= 0) return 'Ended'
  // Midnight is the end of the day before.
  return leftMs < 86_400_000
    ? `Ends at ${formatTime(expiresAt, zone)}`
    : `Ends on ${formatDay(new Date(Date.parse(expiresAt) - 1).toISOString(), nowMs, zone)}`
}
