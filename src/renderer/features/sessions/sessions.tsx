import { Layers, RotateCw, SearchX } from 'lucide-react'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { useLocation, useSearch, useSearchParams } from 'wouter'
import { ImportedSessions } from '../../../features/history/view/imported-sessions.tsx'
import { useHistoryChoice } from '../../../features/history/view/use-history.ts'
import { SESSION_SORTS, type Session, type SessionTotals } from '../../../shared/api/sessions.ts'
import type { DateRange } from '../../data/date-range.ts'
import {
  noSessionFields,
  noSessionFilter,
  SESSION_FIELDS,
  type SessionFilter,
  useSessionList,
  useSessionTotals,
} from '../../data/session-list.ts'
import { Button } from '../../kit/button.tsx'
import { SegmentedControl } from '../../kit/controls.tsx'
import { FilterBar, FoldedFilters } from '../../kit/filter-bar.tsx'
import { formatQuantity, formatUsd } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { MarkedBar } from '../../kit/marked-bar.tsx'
import { EmptyState, QueryState } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { PausedSearchField } from '../../kit/search-field.tsx'
import type { Sorting } from '../../kit/table-order.ts'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { FilterFields } from '../../parts/filters/filter-fields.tsx'
import { DateRangePicker, EmptyPeriodAction } from '../../parts/period/date-range-picker.tsx'
import {
  createSessionFile,
  isFiltered,
  readAddress,
  SESSION_FILE_NAME,
  type SessionAddress,
  SessionExport,
  writeAddress,
} from './session-export.tsx'
import { SessionPanel } from './session-panel.tsx'
import { type ColumnId, SessionTable } from './session-table.tsx'

/** More than the largest window shows. */
const FIRST = 50
const MORE = 200

const noIds: ReadonlySet<string> = new Set()

type SessionsModel = ReturnType<typeof useSessions>

/** The list, its address, and how both are changed. */
function useSessions(openId: string | null) {
  const search = useSearch()
  const [, navigate] = useLocation()
  // Ignores other parameters of the address.
  const text = writeAddress(readAddress(search))
  const address = useMemo(() => readAddress(text), [text])
  const { filter, sort, order } = address
  const [count, setCount] = useState(FIRST)
  const list = useSessionList({ ...address, count })
  const go = useCallback(
    (id: string | null, next: string, replace: boolean) =>
      navigate(`/sessions${id ? `/${encodeURIComponent(id)}` : ''}${next ? `?${next}` : ''}`, { replace }),
    [navigate],
  )
  const open = useCallback(
    // Moving through the list adds one history entry, not one for each session.
    (id: string | null) => go(id, text, id !== null && openId !== null),
    [go, text, openId],
  )
  const change = (part: Partial<SessionAddress>) => {
    setCount(FIRST)
    go(openId, writeAddress({ ...address, ...part }), true)
  }
  const changeFilter = (part: Partial<SessionFilter>) => change({ filter: { ...filter, ...part } })
  const sorting: Sorting<ColumnId> = [
    { column: sort, descending: order === 'desc' },
    ({ column, descending }) => {
      const chosen = SESSION_SORTS.find((one) => one === column)
      if (chosen) change({ sort: chosen, order: descending ? 'desc' : 'asc' })
    },
  ]
  return {
    address,
    filter,
    list,
    openId,
    open,
    changeFilter,
    sorting,
    clear: isFiltered(filter) ? () => changeFilter(noSessionFilter) : null,
    totals: useSessionTotals(filter),
    onMore: () => setCount((now) => now + MORE),
  }
}

/** The address says which sessions are listed, and which one is open. */
export function Sessions({ openId }: { openId: string | null }) {
  const model = useSessions(openId)
  const { address, list, open } = model
  const isImported = useAddressParam(ORIGIN)[0] === 'import'
  const [importedId] = useAddressParam('session')
  const sessions = list.data?.sessions
  return (
    <Page
      title="Sessions"
      subtitle="Agent runs, with steps and cost."
      // Wide windows have the list next to the panel instead of under it.
      {...(openId === null ? {} : { className: 'xl:pr-[560px]' })}
      fixed
      actions={
        <>
          <SessionExport address={address} disabled={!sessions || sessions.length === 0} />
          <IconButton label="Refresh" icon={RotateCw} onClick={() => void list.refetch()} />
        </>
      }
    >
      <SessionFilters model={model} isImported={isImported} />
      <div className="@container flex min-h-0 flex-1 flex-col bg-surface">
        {isImported ? (
          <ImportedSessions range={model.filter.range} session={importedId} />
        ) : (
          <QueryState query={list} rows={8} />
        )}
        {isImported || !sessions ? null : <SessionRows model={model} sessions={sessions} />}
      </div>
      <SessionPanel id={openId} onClose={() => open(null)} />
    </Page>
  )
}

const ORIGIN = 'origin'
const ORIGINS = [
  { value: 'metered', label: 'Tollgate' },
  { value: 'import', label: 'From logs' },
] as const

/** Chooses between the sessions of the gateway and those of the logs of agents, where any were imported. */
function OriginChoice({ isImported }: { isImported: boolean }) {
  const [, setOrigin] = useAddressParam(ORIGIN)
  if (useHistoryChoice() === null) return null
  return (
    <SegmentedControl
      label="Sessions"
      options={ORIGINS}
      value={isImported ? 'import' : 'metered'}
      onChange={(value) => setOrigin(value === 'import' ? value : null)}
    />
  )
}

interface SessionFiltersProps {
  model: SessionsModel
  /** Sessions from logs are filtered by time only. */
  isImported: boolean
}

function SessionFilters({ model, isImported }: SessionFiltersProps) {
  const { filter, totals, clear, changeFilter } = model
  const [importedId, setImportedId] = useAddressParam('session')
  const [, setSearch] = useSearchParams()
  if (isImported)
    return (
      <FilterBar onClear={importedId === null ? null : () => setImportedId(null)}>
        <OriginChoice isImported />
        <DateRangePicker
          small
          range={filter.range}
          onChange={(range) =>
            setSearch(
              `${writeAddress({ ...model.address, filter: { ...filter, range } })}&${ORIGIN}=import`,
              {
                replace: true,
              },
            )
          }
        />
      </FilterBar>
    )
  return (
    <FilterBar {...(totals ? { count: describeTotals(totals) } : {})} onClear={clear}>
      <OriginChoice isImported={false} />
      <PausedSearchField
        label="Search sessions"
        placeholder="Search"
        value={filter.text ?? ''}
        onChange={(next) => changeFilter({ text: next.trim() || null })}
      />
      <DateRangePicker small range={filter.range} onChange={(range) => changeFilter({ range })} />
      <FoldedFilters
        count={SESSION_FIELDS.filter((name) => filter[name] !== null).length}
        onClear={() => changeFilter(noSessionFields)}
      >
        {(className) => (
          <FilterFields
            names={SESSION_FIELDS}
            filter={filter}
            onChange={(name, value) => changeFilter({ [name]: value })}
            className={className}
          />
        )}
      </FoldedFilters>
    </FilterBar>
  )
}

function SessionRows({ model, sessions }: { model: SessionsModel; sessions: readonly Session[] }) {
  const { list, filter, totals, changeFilter } = model
  const [marked, setMarked] = useState(noIds)
  const toggleSingles = () => changeFilter({ singles: !filter.singles })
  const singles = <Singles shown={filter.singles} hidden={totals?.hidden ?? null} onToggle={toggleSingles} />
  return (
    <>
      <MarkedBar
        rows={sessions.filter(({ id }) => marked.has(id))}
        csv={{ create: createSessionFile, fileName: SESSION_FILE_NAME }}
        onClear={() => setMarked(noIds)}
      />
      {sessions.length > 0 ? (
        <SessionTable
          sessions={sessions}
          sorting={model.sorting}
          marking={{ marked, onMark: setMarked }}
          stale={list.isPlaceholderData}
          openId={model.openId}
          onOpen={model.open}
          more={list.data?.more ?? false}
          onMore={model.onMore}
          foot={singles}
        />
      ) : list.isPlaceholderData ? null : (
        <NoSessions
          onClear={model.clear}
          range={filter.range}
          onRange={(range) => changeFilter({ range })}
          singles={singles}
        />
      )}
    </>
  )
}

interface NoSessionsProps {
  /** Null without a filter. */
  onClear: (() => void) | null
  range: DateRange
  onRange: (range: DateRange) => void
  /** The offer to list single requests. */
  singles: ReactNode
}

interface SinglesProps {
  shown: boolean
  /** The sessions that are left out; null until they are known. */
  hidden: SessionTotals['hidden'] | null
  onToggle: () => void
}

/** Sessions of one request are mostly tests and scripts, so the list shows them only on demand. */
function Singles({ shown, hidden, onToggle }: SinglesProps) {
  if (shown)
    return (
      <Button small variant="quiet" onClick={onToggle}>
        Hide single requests
      </Button>
    )
  if (!hidden || hidden.sessions === 0) return null
  const what = formatQuantity(hidden.sessions, 'single request')
  return (
    <Button small variant="quiet" onClick={onToggle}>
      + {what}, {formatUsd(hidden.costUsd)}
    </Button>
  )
}

function describeTotals({ sessions, costUsd, medianUsd }: SessionTotals): string {
  const count = formatQuantity(sessions, 'session')
  const median = medianUsd === null || sessions < 3 ? '' : ` · median ${formatUsd(medianUsd)}`
  return `${count} · ${formatUsd(costUsd)}${median}`
}

function NoSessions({ onClear, range, onRange, singles }: NoSessionsProps) {
  if (onClear) {
    return (
      <EmptyState
        icon={SearchX}
        title="No session matches"
        action={
          <>
            <Button onClick={onClear}>Clear filters</Button>
            {singles}
          </>
        }
      >
        No session in this period matches these filters.
      </EmptyState>
    )
  }
  const header = <code className="rounded-sm bg-sunken px-1 font-mono text-sm">X-Tollgate-Session</code>
  return (
    <EmptyState
      icon={Layers}
      title="No sessions in this period"
      action={
        <>
          <EmptyPeriodAction range={range} onRange={onRange} />
          {singles}
        </>
      }
    >
      <p>
        A session is one run of an agent: all its requests together. Claude Code, Codex and opencode say which
        run a request belongs to. Other requests are grouped by key and tool until a pause of 30 minutes.
      </p>
      <p className="mt-2">Programs that you write can name a session with the header {header}.</p>
    </EmptyState>
  )
}
