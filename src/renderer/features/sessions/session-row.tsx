import { memo } from 'react'
import type { Session } from '../../../shared/api/sessions.ts'
import type { SessionSort } from '../../data/session-list.ts'
import {
  cacheRate,
  computeLength,
  formatLength,
  formatRatio,
  isActive,
  nameSession,
} from '../../data/session-name.ts'
import { getToolName } from '../../data/tool-name.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { cn } from '../../kit/cn.ts'
import { formatAgo, formatCount, formatMoment, formatUsd } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'

type ColumnId = 'name' | 'models' | 'last' | 'length' | 'requests' | 'tokens' | 'cached' | 'cost'

export const COLUMNS: readonly { id: ColumnId; name: string; sort?: SessionSort; hint?: string }[] = [
  { id: 'name', name: 'Session' },
  { id: 'models', name: 'Models' },
  { id: 'last', name: 'Last request', sort: 'time' },
  { id: 'length', name: 'Duration', sort: 'duration', hint: 'From the first request to the last' },
  { id: 'requests', name: 'Requests', sort: 'requests' },
  { id: 'tokens', name: 'Tokens', hint: 'In and out' },
  { id: 'cached', name: 'Cache hits', hint: 'The part of the tokens in that was read from a cache' },
  { id: 'cost', name: 'Cost', sort: 'cost' },
]

/** As the list gets narrower, it drops the columns that matter least first. */
export const columnClasses: Readonly<Record<ColumnId, string>> = {
  name: '',
  models: 'w-56 @max-4xl:hidden',
  last: 'w-28 @max-xl:hidden',
  length: 'w-24 text-right @max-2xl:hidden',
  requests: 'w-30 text-right @max-md:w-20',
  tokens: 'w-22 text-right @max-3xl:hidden',
  cached: 'w-24 text-right @max-3xl:hidden',
  cost: 'w-26 text-right @max-md:w-22',
}

export const edgeCell = 'first:pl-6 last:pr-6 max-sm:first:pl-4 max-sm:last:pr-4'

interface SessionRowProps {
  session: Session
  now: number
  zone: string | undefined
  decimals: number
  open: boolean
  /** The one row in the tab order. Arrow keys move from it. */
  tabStop: boolean
  onFocus: (id: string) => void
  onOpen: (id: string) => void
}

export const SessionRow = memo(function SessionRow({
  session,
  now,
  zone,
  decimals,
  open,
  tabStop,
  onFocus,
  onOpen,
}: SessionRowProps) {
  const { id, keyName, clientName, tag, models, requests, tokensIn, tokensOut } = session
  const name = nameSession(session, { now, zone })
  const cells: Readonly<Record<ColumnId, React.ReactNode>> = {
    name: (
      <>
        <p className="truncate font-medium" title={name}>
          <bdi>{name}</bdi>
        </p>
        <p className="truncate text-ink-3 text-xs">
          {[clientName === null ? null : getToolName(clientName), tag, keyName].filter(Boolean).join(' · ')}
        </p>
      </>
    ),
    models: <Models models={models} />,
    last: isActive(session) ? (
      <StatusDot tone="accent" pulse>
        Active
      </StatusDot>
    ) : (
      <time dateTime={session.lastAt} title={formatMoment(session.lastAt, zone)}>
        {formatAgo(session.lastAt, now, zone)}
      </time>
    ),
    length: formatLength(computeLength(session)),
    requests: (
      <>
        {formatCount(requests)}
        <Failures session={session} />
      </>
    ),
    tokens: (
      <span title={`${formatCount(tokensIn)} in, ${formatCount(tokensOut)} out`}>
        {formatCount(tokensIn + tokensOut, true)}
      </span>
    ),
    cached: formatRatio(cacheRate(session)),
    cost: <SessionCost session={session} decimals={decimals} />,
  }
  return (
    <tr
      data-row
      aria-label={name}
      aria-current={open || undefined}
      tabIndex={tabStop ? 0 : -1}
      onFocus={() => onFocus(id)}
      onClick={() => onOpen(id)}
      className={cn('cursor-default -outline-offset-2', open ? 'bg-accent-soft' : 'hover:bg-sunken')}
    >
      {COLUMNS.map(({ id: column }) => (
        <td
          key={column}
          className={cn(
            'h-13 truncate border-line border-b px-2',
            column !== 'name' && column !== 'cost' && 'text-ink-2 text-sm',
            columnClasses[column],
            edgeCell,
          )}
        >
          {cells[column]}
        </td>
      ))}
    </tr>
  )
})

/** The failures; renders nothing for none. */
export function Failures({ session: { errors, refused } }: { session: Session }) {
  if (errors === 0 && refused === 0) return null
  const parts = [
    ...(errors === 0 ? [] : [errors === 1 ? '1 error' : `${formatCount(errors)} errors`]),
    ...(refused === 0 ? [] : [`${formatCount(refused)} refused`]),
  ]
  return (
    <span className={cn('block truncate font-normal text-xs', errors > 0 ? 'text-bad' : 'text-warn')}>
      {parts.join(', ')}
    </span>
  )
}

function Models({ models }: { models: readonly string[] }) {
  const [first, ...others] = models
  if (first === undefined) return '–'
  return (
    <span className="flex gap-1.5" title={models.join(', ')}>
      <span className="truncate">{first}</span>
      {others.length === 0 ? null : <span className="shrink-0 text-ink-3">+{others.length}</span>}
    </span>
  )
}

/** A sum that leaves something out says so. */
export function SessionCost({ session, decimals }: { session: Session; decimals?: number }) {
  const { costUsd, sampleUsd, unpriced, requests } = session
  if (unpriced > 0 && unpriced === requests) {
    return (
      <span className="text-ink-3" title="No price of its models is known">
        Unknown
      </span>
    )
  }
  return (
    <>
      <Money usd={costUsd} className="font-medium" {...(decimals === undefined ? {} : { decimals })} />
      {sampleUsd === 0 ? null : (
        <span
          className="block text-ink-3 text-xs"
          title={`${formatUsd(sampleUsd)} of it are sample costs of the sandbox, which are in no total`}
        >
          {sampleUsd === costUsd ? 'sample' : 'partly sample'}
        </span>
      )}
      {unpriced === 0 ? null : (
        <span className="block text-warn text-xs">+ {formatCount(unpriced)} unpriced</span>
      )}
    </>
  )
}
