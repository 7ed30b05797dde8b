import { Activity, Cable, Copy, Pencil } from 'lucide-react'
import { useLocation } from 'wouter'
import type { KeyMetadata } from '../../../shared/keys.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { cn } from '../../components/cn.ts'
import { copyText } from '../../components/copy.tsx'
import { Gauge } from '../../components/gauge.tsx'
import { Menu } from '../../components/menu.tsx'
import { Money } from '../../components/money.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { formatCount } from '../../format.ts'
import { RaiseCap } from '../../limits/raise-limit.tsx'
import { scopeLabel } from './scopes.ts'

interface KeyRowProps {
  record: KeyMetadata
  onEdit: () => void
  onRevoke: () => void
}

/** The key's own limits per minute; an empty string when it has none. */
function formatLimits({ rpmLimit, tpmLimit }: KeyMetadata): string {
  const rpm = rpmLimit === null ? [] : [`${formatCount(rpmLimit)} requests`]
  const tpm = tpmLimit === null ? [] : [`${formatCount(tpmLimit, true)} tokens`]
  const limits = [...rpm, ...tpm]
  return limits.length > 0 ? `${limits.join(', ')} a minute` : ''
}

export function KeyRow({ record, onEdit, onRevoke }: KeyRowProps) {
  const [, navigate] = useLocation()
  const revoked = record.revokedAt !== null
  const limits = formatLimits(record)
  return (
    <tr
      aria-label={record.name}
      className={cn('h-15 border-b last:border-b-0 [&>td]:px-4', revoked && 'text-ink-3')}
    >
      <td>
        <div className={cn('truncate font-medium', !revoked && 'text-ink')} title={record.name}>
          {record.name}
        </div>
        <div className="truncate text-ink-3 text-xs">
          <span className="lg:hidden">{scopeLabel(record.scope)}</span>
          {limits === '' ? (
            <span className="font-mono max-lg:hidden">{record.id}</span>
          ) : (
            <span title={record.id}>
              <span className="lg:hidden"> · </span>
              {limits}
            </span>
          )}
        </div>
      </td>
      <td className="max-lg:hidden">
        <Badge tone={record.scope === 'admin' && !revoked ? 'accent' : 'plain'}>
          {scopeLabel(record.scope)}
        </Badge>
      </td>
      <td>
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
      <td className="truncate text-ink-2 max-lg:hidden">
        {record.lastUsedAt ? <RelativeTime iso={record.lastUsedAt} /> : 'Never'}
      </td>
      <td className="truncate text-ink-2 max-[1400px]:hidden">
        <RelativeTime iso={record.createdAt} />
      </td>
      <td>
        <div className="flex items-center justify-end gap-1">
          {record.revokedAt !== null ? (
            <Badge>Revoked</Badge>
          ) : (
            <>
              <RaiseCap record={record} />
              <Button small variant="quiet" onClick={onRevoke}>
                Revoke
              </Button>
            </>
          )}
          <Menu
            label={`More actions for ${record.name}`}
            items={[
              ...(revoked
                ? []
                : [
                    { label: 'Edit name and limits', icon: Pencil, onSelect: onEdit },
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
              { label: 'Copy key ID', icon: Copy, onSelect: () => void copyText(record.id) },
            ]}
          />
        </div>
      </td>
    </tr>
  )
}
