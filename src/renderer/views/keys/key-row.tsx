import { Activity, Cable, ChartColumn, Copy, Pencil, Trash2 } from 'lucide-react'
import type { MouseEvent } from 'react'
import { useLocation } from 'wouter'
import type { KeyMetadata } from '../../../shared/keys.ts'
import { Badge } from '../../components/badge.tsx'
import { cn } from '../../components/cn.ts'
import { copyText } from '../../components/copy.tsx'
import { Gauge } from '../../components/gauge.tsx'
import { Menu } from '../../components/menu.tsx'
import { Money } from '../../components/money.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { RaiseCap } from '../../limits/raise-limit.tsx'
import { formatKeyLimits, formatSecretHint } from './key-facts.ts'
import { scopeLabel } from './scopes.ts'

interface KeyRowProps {
  record: KeyMetadata
  onOpen: () => void
  onRevoke: () => void
}

export function KeyRow({ record, onOpen, onRevoke }: KeyRowProps) {
  const [, navigate] = useLocation()
  const revoked = record.revokedAt !== null
  const secret = formatSecretHint(record)
  const limits = formatKeyLimits(record)
  // The name is the control for the keyboard; a click anywhere else in the row does the same.
  const onRowClick = ({ target }: MouseEvent) => {
    if (target instanceof Element && !target.closest('button, a, [role=menu], [role=dialog]')) onOpen()
  }
  return (
    <tr
      aria-label={record.name}
      onClick={onRowClick}
      className={cn(
        'h-15 cursor-default border-b last:border-b-0 hover:bg-sunken/50 [&>td]:px-4',
        'max-sm:grid max-sm:h-auto max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:gap-y-2 max-sm:py-3',
        revoked && 'text-ink-3',
      )}
    >
      <td>
        <button
          type="button"
          onClick={onOpen}
          className={cn('block max-w-full truncate rounded-sm font-medium', !revoked && 'text-ink')}
          title={record.name}
        >
          {record.name}
        </button>
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
          {limits ? (
            <span className="max-lg:hidden">
              {secret === null ? '' : ' · '}
              {limits}
            </span>
          ) : null}
        </p>
      </td>
      <td className="max-lg:hidden">
        <Badge tone={record.scope === 'admin' && !revoked ? 'accent' : 'plain'}>
          {scopeLabel(record.scope)}
        </Badge>
      </td>
      <td className="max-sm:col-span-2 max-sm:row-start-2">
        {revoked ? (
          <>
            <Money usd={record.spendUsd} /> spent
          </>
        ) : (
          <Gauge
            label={`Spend of ${record.name}`}
            spentUsd={record.spendUsd}
            reservedUsd={record.reservedUsd}
            limitUsd={record.spendLimitUsd}
          />
        )}
      </td>
      <td className={cn('truncate max-lg:hidden', !revoked && 'text-ink-2')}>
        {record.lastUsedAt ? <RelativeTime iso={record.lastUsedAt} /> : 'Never'}
      </td>
      <td className={cn('truncate max-[1400px]:hidden', !revoked && 'text-ink-2')}>
        <RelativeTime iso={record.createdAt} />
      </td>
      <td className="max-sm:pl-0!">
        <div className="flex items-center justify-end gap-1">
          {revoked ? <Badge>Revoked</Badge> : <RaiseCap record={record} />}
          <Menu
            label={`More actions for ${record.name}`}
            items={[
              { label: revoked ? 'Details' : 'Edit', icon: Pencil, onSelect: onOpen },
              // Without a secret no tool can use it.
              ...(revoked || record.purpose === 'playground'
                ? []
                : [
                    {
                      label: 'Connect a tool',
                      icon: Cable,
                      onSelect: () => navigate(`/connect?key=${record.id}`),
                    },
                  ]),
              {
                label: 'View requests',
                icon: Activity,
                onSelect: () => navigate(`/requests?key=${record.id}`),
              },
              {
                label: 'View usage',
                icon: ChartColumn,
                onSelect: () => navigate(`/usage?key=${record.id}`),
              },
              { label: 'Copy key ID', icon: Copy, onSelect: () => void copyText(record.id) },
              ...(revoked
                ? []
                : [
                    'separator' as const,
                    { label: 'Revoke', icon: Trash2, danger: true, onSelect: onRevoke },
                  ]),
            ]}
          />
        </div>
      </td>
    </tr>
  )
}
