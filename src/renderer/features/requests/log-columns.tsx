import type { ReactNode } from 'react'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { hasTwelveHours } from '../../../shared/values/locale.ts'
import type { RequestSort } from '../../data/request-filter.ts'
import { getRequestName } from '../../data/request-log.ts'
import { formatClock, formatCount, formatDuration, formatMoment, formatUsd } from '../../kit/format.ts'
import type { Column } from '../../kit/table-order.ts'
import { Cost, Count, Status, StatusMark } from '../../parts/requests/status.tsx'
import { StopIcon } from './request-actions.tsx'

/** The context of cells besides their record. */
export interface CellContext {
  /** Any time today, in milliseconds. Requests of today show only their time of day. */
  now: number
  timeZone: string | undefined
  /** The names of the providers, by id. */
  providerNames: ReadonlyMap<string, string>
  /** Whether there is space for the column of the status. */
  hasStatus: boolean
}

export const COLUMN_IDS = [
  'time',
  'key',
  'client',
  'project',
  'model',
  'provider',
  'status',
  'tokens',
  'cost',
  'held',
  'latency',
] as const
export type ColumnId = (typeof COLUMN_IDS)[number]

interface LogColumn extends Pick<Column<RequestRecord>, 'right' | 'cellClass'> {
  name: string
  /** Its least width in pixels, by which columns also share the remaining width, unless it has a share of its own. */
  minPx: number
  share?: number
  /** Columns with the highest number are left out first where not all fit. */
  rank: number
  /** The sort order for a click on its head. */
  sort?: RequestSort
  title?(record: RequestRecord, context: CellContext): string | undefined
  cell(record: RequestRecord, context: CellContext): ReactNode
}

const NONE = '–'
const duration = (ms: number | null) => (ms === null ? NONE : formatDuration(ms))

/** Ordered from left to right. */
export const logColumns: Readonly<Record<ColumnId, LogColumn>> = {
  time: {
    name: 'Time',
    minPx: 84,
    rank: 1,
    sort: 'time',
    cellClass: 'text-ink-2',
    cell: (record, { now, timeZone }) => (
      <time dateTime={record.createdAt} title={formatMoment(record.createdAt, timeZone)}>
        {formatClock(record.createdAt, now, timeZone)}
      </time>
    ),
  },
  key: {
    name: 'Key',
    minPx: 70,
    rank: 4,
    title: (record) => `${record.keyName}, used by ${record.clientName ?? 'an unknown client'}`,
    cell: (record) => <bdi>{record.keyName}</bdi>,
  },
  client: {
    name: 'Client',
    minPx: 90,
    rank: 8,
    cellClass: 'text-ink-2',
    title: (record) => record.client ?? undefined,
    cell: (record) => <bdi>{record.clientName ?? NONE}</bdi>,
  },
  project: {
    name: 'Project',
    minPx: 80,
    rank: 9,
    cellClass: 'text-ink-2',
    title: ({ tag }) => tag ?? undefined,
    cell: ({ tag }) => <bdi>{tag ?? NONE}</bdi>,
  },
  model: {
    name: 'Model',
    minPx: 96,
    share: 400,
    rank: 0,
    cellClass: 'font-medium',
    title: (record) =>
      isOtherModel(record)
        ? `Requested ${record.requestedModel}, served ${record.model}`
        : getRequestName(record),
    cell: (record, { hasStatus }) => (
      <span className="flex items-center gap-1.5">
        {hasStatus ? null : <StatusMark record={record} />}
        <span className="truncate">
          {isOtherModel(record) ? (
            <span className="font-normal text-ink-3">{record.requestedModel} → </span>
          ) : null}
          {getRequestName(record)}
        </span>
        <Count record={record} />
      </span>
    ),
  },
  provider: {
    name: 'Provider',
    minPx: 90,
    rank: 7,
    cellClass: 'text-ink-2',
    title: ({ provider }) => provider ?? undefined,
    cell: ({ provider }, { providerNames }) =>
      provider === null ? NONE : (providerNames.get(provider) ?? provider),
  },
  status: {
    name: 'Status',
    minPx: 90,
    rank: 3,
    title: (record) => record.error?.message,
    cell: (record) => (
      <span className="flex items-center justify-between">
        <Status record={record} />
        {record.status === 'running' ? <StopIcon id={record.id} /> : null}
      </span>
    ),
  },
  tokens: {
    name: 'Tokens',
    minPx: 84,
    rank: 5,
    right: true,
    sort: 'tokens',
    cellClass: 'text-ink-2',
    title: ({ tokensIn, tokensOut }) => `${formatCount(tokensIn)} in, ${formatCount(tokensOut)} out`,
    cell: (record) =>
      record.tokensIn + record.tokensOut === 0
        ? NONE
        : `${formatCount(record.tokensIn, true)} / ${formatCount(record.tokensOut, true)}`,
  },
  cost: {
    name: 'Cost',
    // Six decimals, and up to three digits before them.
    minPx: 102,
    rank: 2,
    right: true,
    sort: 'cost',
    cell: (record) => <Cost record={record} />,
  },
  held: {
    name: 'Held',
    minPx: 86,
    // After the cost: where held amounts are looked for, they are what is compared.
    rank: 3,
    right: true,
    title: ({ heldUntil }, { timeZone }) =>
      heldUntil === null ? undefined : `Reserved until ${formatMoment(heldUntil, timeZone)}`,
    cell: ({ heldUsd }) => (heldUsd === null ? NONE : formatUsd(heldUsd)),
  },
  latency: {
    name: 'Latency',
    minPx: 68,
    rank: 6,
    right: true,
    sort: 'duration',
    cellClass: 'text-ink-2',
    title: () => 'From the request to the end of the response',
    cell: ({ timings }) => duration(timings.totalMs),
  },
}

/** Whether another model than the requested one served it, and not only by a shorter name. */
function isOtherModel({ model, requestedModel }: RequestRecord): boolean {
  return model !== null && model !== requestedModel && !requestedModel?.endsWith(`/${model}`)
}

export interface ColumnLayout {
  /** The columns that fit, from left to right. */
  shown: readonly ColumnId[]
  /** The styles of a row. */
  grid: { gridTemplateColumns: string; columnGap: number; paddingInline: number }
}

const NARROW_PX = 820
/** The narrowest layout, with less padding: the `@max-[30rem]` of the list. */
const NARROWEST_PX = 480
/** The most important columns are always there: what was called, when, and what it cost. */
const ALWAYS = 3
/** The width of AM or PM in the column of times. */
const HALF_OF_DAY_PX = 24

/** The columns that fit into a width, the most important ones first. Held amounts have theirs where `withHeld`. */
export function fitColumns(widthPx: number, withHeld: boolean): ColumnLayout {
  const gapPx = widthPx < NARROW_PX ? 8 : 12
  const paddingPx = widthPx < NARROWEST_PX ? 16 : 24
  const leastPx = (id: ColumnId) =>
    logColumns[id].minPx + (id === 'time' && hasTwelveHours() ? HALF_OF_DAY_PX : 0)
  let remainingPx = widthPx - 2 * paddingPx + gapPx
  const fitting = COLUMN_IDS.filter((id) => withHeld || id !== 'held')
    .toSorted((a, b) => logColumns[a].rank - logColumns[b].rank)
    .filter((id, at) => {
      remainingPx -= leastPx(id) + gapPx
      return at < ALWAYS || remainingPx >= 0
    })
  const shown = COLUMN_IDS.filter((id) => fitting.includes(id))
  const tracks = shown.map((id) => `minmax(${leastPx(id)}px, ${logColumns[id].share ?? leastPx(id)}fr)`)
  return {
    shown,
    grid: { gridTemplateColumns: tracks.join(' '), columnGap: gapPx, paddingInline: paddingPx },
  }
}
