// The sessions of agents that were imported from their logs, with their sub-agents.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useMemo, useState } from 'react'
import { api } from '../../../renderer/data/api.ts'
import { type DateRange, resolveRange } from '../../../renderer/data/date-range.ts'
import { useTimeZone } from '../../../renderer/data/hooks.ts'
import { readTimeZone } from '../../../renderer/data/queries.ts'
import { type Query, volatileQuery } from '../../../renderer/data/query-client.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { copyText } from '../../../renderer/kit/copy.tsx'
import { DataTable } from '../../../renderer/kit/data-table.tsx'
import { chooseUsdDecimals, formatAgo, formatCount, formatMoment } from '../../../renderer/kit/format.ts'
import { Money, Unpriced } from '../../../renderer/kit/money.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../../renderer/kit/notice.tsx'
import type { Column } from '../../../renderer/kit/table-order.ts'
import { useNow } from '../../../renderer/kit/use-now.ts'
import type { ImportedSession } from '../../../shared/api/history.ts'
import { HISTORY_NOTE } from './use-history.ts'

/** A session, or a sub-agent of one. */
interface SessionRow extends Pick<ImportedSession, 'calls' | 'costUsd'> {
  id: string
  name: string
  /** Null for a sub-agent. */
  session: ImportedSession | null
  parts?: SessionRow[]
}

const PAGE = 50

interface ImportedSessionsProps {
  range: DateRange
  /** Only the one with this id, whenever it was; null for all. */
  session: string | null
}

function importedSessions(
  { range, session }: ImportedSessionsProps,
  count: number,
): Query<{ rows: SessionRow[]; more: boolean }> {
  return volatileQuery(['imported-sessions', range, session, count], async () => {
    const { start, end } = resolveRange(range, Date.now(), await readTimeZone())
    const span =
      session === null
        ? { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
        : { session }
    const sessions: ImportedSession[] = []
    let cursor: string | null = null
    do {
      const page: { data: ImportedSession[]; nextCursor: string | null } = await api('listImportedSessions', {
        query: { ...span, limit: PAGE, ...(cursor !== null && { cursor }) },
      })
      sessions.push(...page.data)
      cursor = page.nextCursor
    } while (cursor !== null && sessions.length < count)
    return { rows: sessions.map(toRow), more: cursor !== null }
  })
}

function toRow(session: ImportedSession): SessionRow {
  const { tool, id, name, project, calls, costUsd, agents } = session
  const folder = project?.split(/[\\/]/).findLast((part) => part !== '')
  return {
    id: `${tool} ${id}`,
    name: folder ? `${name} in ${folder}` : name,
    session,
    calls,
    costUsd,
    ...(agents.length > 0 && {
      parts: agents.map((agent) => ({ ...agent, name: `Sub-agent ${agent.id}`, session: null })),
    }),
  }
}

export function ImportedSessions(props: ImportedSessionsProps) {
  const [count, setCount] = useState(PAGE)
  const [expanded, setExpanded] = useState<Record<string, boolean>>({})
  const { data, error, isPending, isLoadingError, refetch } = useQuery({
    ...importedSessions(props, count),
    placeholderData: keepPreviousData,
  })
  const now = useNow()
  const zone = useTimeZone()
  const decimals = chooseUsdDecimals(data?.rows.map(({ costUsd }) => costUsd) ?? [])
  const columns = useMemo(() => createColumns(now, zone, decimals), [now, zone, decimals])
  if (isPending) return <SkeletonRows rows={8} />
  if (isLoadingError) return <LoadError error={error} onRetry={() => void refetch()} />
  if (!data || data.rows.length === 0)
    return (
      <EmptyState icon={History} title="No imported session in this period">
        Choose a longer period, or import again in Settings.
      </EmptyState>
    )
  return (
    <DataTable
      label="Sessions from logs"
      look="page"
      columns={columns}
      rows={data.rows}
      getId={({ id }) => id}
      getName={({ name }) => name}
      tree={{
        expanded,
        onExpand: (id, on) => setExpanded({ ...expanded, [id]: on }),
        getParts: ({ parts }) => parts,
      }}
      menu={{
        label: 'Session',
        getItems: ({ session }) =>
          session ? [{ label: 'Copy ID', onSelect: () => void copyText(session.id) }] : [],
      }}
      classes={{ table: 'table-fixed', head: EDGES, cell: `h-13 truncate ${EDGES}` }}
    >
      {data.more ? (
        <div className="flex justify-center p-4">
          <Button onClick={() => setCount(count + PAGE * 4)}>Show more sessions</Button>
        </div>
      ) : null}
    </DataTable>
  )
}

const EDGES = 'first:pl-6 last:pr-6 max-sm:first:pl-4 max-sm:last:pr-4'
const SMALL = 'text-ink-2 text-sm'

function createColumns(
  now: number,
  zone: string | undefined,
  decimals: number,
): Column<SessionRow, string>[] {
  return [
    {
      id: 'name',
      head: 'Session',
      cell: ({ name, session }) => (
        <span className="min-w-0">
          <span className="block truncate font-medium" title={session?.project ?? name}>
            <bdi>{name}</bdi>
          </span>
          {session ? (
            <span className="block truncate text-ink-3 text-xs">
              {[session.branch, session.id].filter(Boolean).join(' · ')}
            </span>
          ) : null}
        </span>
      ),
    },
    {
      id: 'models',
      head: 'Models',
      className: '@max-4xl:hidden',
      headClass: 'w-56 @max-6xl:w-38',
      cellClass: SMALL,
      cell: ({ session }) => session?.models.join(', '),
    },
    {
      id: 'time',
      head: 'Last call',
      className: '@max-xl:hidden',
      headClass: 'w-28',
      cellClass: SMALL,
      cell: ({ session }) =>
        session ? (
          <time dateTime={session.lastAt} title={formatMoment(session.lastAt, zone)}>
            {formatAgo(session.lastAt, now, zone)}
          </time>
        ) : null,
    },
    {
      id: 'calls',
      head: 'Calls',
      right: true,
      headClass: 'w-28 @max-md:w-20',
      cellClass: SMALL,
      cell: ({ calls }) => formatCount(calls),
    },
    {
      id: 'tokens',
      head: 'Tokens',
      hint: 'In and out',
      right: true,
      className: '@max-3xl:hidden',
      headClass: 'w-22',
      cellClass: SMALL,
      cell: ({ session }) => (session ? formatCount(session.tokensIn + session.tokensOut, true) : null),
    },
    {
      id: 'cost',
      head: 'List price',
      hint: HISTORY_NOTE,
      right: true,
      headClass: 'w-28',
      cell: ({ costUsd, session }) => (
        <>
          <Unpriced count={session?.unpriced ?? 0} short /> <Money usd={costUsd} decimals={decimals} />
        </>
      ),
    },
  ]
}
