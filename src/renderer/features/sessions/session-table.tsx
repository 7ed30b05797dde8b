import { type ReactNode, useMemo } from 'react'
import { useLocation } from 'wouter'
import type { Session } from '../../../shared/api/sessions.ts'
import { useTimeZone } from '../../data/hooks.ts'
import type { SessionSort } from '../../data/session-list.ts'
import {
  cacheRate,
  computeLength,
  formatLength,
  formatRatio,
  getToolName,
  isActive,
  nameSession,
} from '../../data/session-name.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { copyText } from '../../kit/copy.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import {
  chooseUsdDecimals,
  formatAgo,
  formatCount,
  formatMoment,
  formatQuantity,
  formatUsd,
} from '../../kit/format.ts'
import { Money, Uncharged } from '../../kit/money.tsx'
import type { Marking } from '../../kit/row-focus.ts'
import type { Column, Sorting } from '../../kit/table-order.ts'
import { useNow } from '../../kit/use-now.ts'
import { openLimitDialog } from '../../parts/limits/limit-dialog-state.ts'

export type ColumnId = SessionSort | 'name' | 'models' | 'tokens' | 'cached'

interface SessionTableProps {
  sessions: readonly Session[]
  sorting: Sorting<ColumnId>
  marking: Marking
  /** The rows are those of the previous filter. */
  stale: boolean
  openId: string | null
  onOpen: (id: string) => void
  /** There are more than those that are listed. */
  more: boolean
  onMore: () => void
  /** After the last row. */
  foot: ReactNode
}

const edgeClass = 'first:pl-6 last:pr-6 max-sm:first:pl-4 max-sm:last:pr-4'

export function SessionTable(props: SessionTableProps) {
  const { sessions, sorting, marking, stale, openId, onOpen, more, onMore, foot } = props
  const now = useNow()
  const zone = useTimeZone()
  const [, navigate] = useLocation()
  const decimals = chooseUsdDecimals(sessions.map(({ costUsd }) => costUsd))
  const columns = useMemo(() => createColumns(now, zone, decimals), [now, zone, decimals])
  return (
    <DataTable
      label="Sessions"
      look="page"
      columns={columns}
      rows={sessions}
      getId={({ id }) => id}
      getName={(session) => nameSession(session, { now, zone })}
      sorting={sorting}
      marking={marking}
      menu={{
        label: 'Session',
        getItems: ({ id, keyId }) => [
          { label: 'Open', onSelect: () => onOpen(id) },
          {
            label: 'View requests',
            onSelect: () => navigate(`/requests?session=${encodeURIComponent(id)}`),
          },
          { label: 'Receipt', onSelect: () => navigate(`/receipts/${id}`) },
          { label: 'Copy ID', onSelect: () => void copyText(id) },
          'separator',
          { label: 'Set a cap per session', onSelect: () => openLimitDialog(keyId, { per: 'session' }) },
        ],
      }}
      classes={{ table: 'table-fixed', head: edgeClass, cell: cn('h-13 truncate', edgeClass) }}
      stale={stale}
      openId={openId}
      onOpen={({ id }) => onOpen(id)}
    >
      <div className="flex flex-wrap justify-center gap-2 p-4">
        {more ? <Button onClick={onMore}>Show more sessions</Button> : null}
        {foot}
      </div>
    </DataTable>
  )
}

/** As the list gets narrower, it drops the columns that matter least first. */
function createColumns(now: number, zone: string | undefined, decimals: number): Column<Session, ColumnId>[] {
  const small = 'text-ink-2 text-sm'
  return [
    {
      id: 'name',
      head: 'Session',
      cell: (session) => {
        const { clientName, tag, keyName } = session
        const name = nameSession(session, { now, zone })
        return (
          <>
            <p className="truncate font-medium" title={name}>
              <bdi>{name}</bdi>
            </p>
            <p className="truncate text-ink-3 text-xs">
              {[clientName === null ? null : getToolName(clientName), tag, keyName]
                .filter((part) => part && !name.includes(part))
                .join(' · ')}
            </p>
          </>
        )
      },
    },
    {
      id: 'models',
      head: 'Models',
      className: '@max-4xl:hidden',
      headClass: 'w-56 @max-6xl:w-38',
      cellClass: small,
      cell: ({ models }) => <Models models={models} />,
    },
    {
      id: 'time',
      head: 'Last request',
      sortedByGateway: true,
      descendingFirst: true,
      className: '@max-xl:hidden',
      headClass: 'w-28',
      cellClass: small,
      cell: (session) =>
        isActive(session) ? (
          <StatusDot tone="accent" pulse>
            Active
          </StatusDot>
        ) : (
          <time dateTime={session.lastAt} title={formatMoment(session.lastAt, zone)}>
            {formatAgo(session.lastAt, now, zone)}
          </time>
        ),
    },
    {
      id: 'duration',
      head: 'Duration',
      hint: 'From the first request to the last',
      sortedByGateway: true,
      descendingFirst: true,
      right: true,
      className: '@max-2xl:hidden',
      headClass: 'w-22',
      cellClass: small,
      cell: (session) => formatLength(computeLength(session)),
    },
    {
      id: 'requests',
      head: 'Requests',
      sortedByGateway: true,
      descendingFirst: true,
      right: true,
      headClass: 'w-28 @max-md:w-20',
      cellClass: small,
      cell: (session) => (
        <>
          {formatCount(session.requests)}
          <Failures session={session} />
        </>
      ),
    },
    {
      id: 'tokens',
      head: 'Tokens',
      hint: 'In and out',
      right: true,
      className: '@max-3xl:hidden',
      headClass: 'w-22',
      cellClass: small,
      cell: ({ tokensIn, tokensOut }) => (
        <span title={`${formatCount(tokensIn)} in, ${formatCount(tokensOut)} out`}>
          {formatCount(tokensIn + tokensOut, true)}
        </span>
      ),
    },
    {
      id: 'cached',
      head: 'Cache hits',
      hint: 'Share of input tokens read from the provider’s cache',
      right: true,
      className: '@max-3xl:hidden',
      headClass: 'w-24',
      cellClass: small,
      cell: (session) => formatRatio(cacheRate(session)),
    },
    {
      id: 'cost',
      head: 'Cost',
      sortedByGateway: true,
      descendingFirst: true,
      right: true,
      headClass: 'w-26 @max-md:w-22',
      cell: (session) => <SessionCost session={session} decimals={decimals} />,
    },
  ]
}

/** The failures; renders nothing for none. */
export function Failures({ session: { errors, refused } }: { session: Session }) {
  if (errors === 0 && refused === 0) return null
  const parts = [
    ...(errors === 0 ? [] : [formatQuantity(errors, 'error')]),
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
          className="block font-normal text-ink-3 text-xs"
          title={`${formatUsd(sampleUsd)} of it are sample costs of the sandbox, which are in no total`}
        >
          {sampleUsd === costUsd ? 'sample' : 'partly sample'}
        </span>
      )}
      <Uncharged sums={session} className="block font-normal text-ink-3 text-xs" />
      {unpriced === 0 ? null : (
        <span className="block font-normal text-warn text-xs">{`+ ${formatCount(unpriced)} unpriced`}</span>
      )}
    </>
  )
}
