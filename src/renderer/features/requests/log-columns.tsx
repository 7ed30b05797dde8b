import type { ReactNode } from 'react'
import { z } from 'zod'
import { create } from 'zustand'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { hasTwelveHours } from '../../../shared/values/locale.ts'
import type { RequestSort } from '../../data/request-filter.ts'
import { getRequestName } from '../../data/request-log.ts'
import { formatClock, formatCount, formatDuration, formatMoment, formatUsd } from '../../kit/format.ts'
import { tokensPerSecond } from '../../kit/output-speed.ts'
import { readStored } from '../../kit/stored.ts'
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
  'session',
  'model',
  'provider',
  'endpoint',
  'status',
  'tokens',
  'cacheRead',
  'cost',
  'held',
  'latency',
  'firstByte',
  'rate',
  'attempts',
] as const
export type ColumnId = (typeof COLUMN_IDS)[number]

interface LogColumn extends Pick<Column<RequestRecord>, 'right' | 'cellClass'> {
  name: string
  /** Its width in pixels; with a larger `maxPx` it takes what the others leave. */
  minPx: number
  maxPx?: number
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
    maxPx: 170,
    rank: 4,
    title: (record) => `${record.keyName}, used by ${record.clientName ?? 'an unknown client'}`,
    cell: (record) => <bdi>{record.keyName}</bdi>,
  },
  client: {
    name: 'Client',
    minPx: 90,
    maxPx: 170,
    rank: 8,
    cellClass: 'text-ink-2',
    title: (record) => record.client ?? undefined,
    cell: (record) => <bdi>{record.clientName ?? NONE}</bdi>,
  },
  project: {
    name: 'Project',
    minPx: 80,
    maxPx: 150,
    rank: 14,
    cellClass: 'text-ink-2',
    title: ({ tag }) => tag ?? undefined,
    cell: ({ tag }) => <bdi>{tag ?? NONE}</bdi>,
  },
  session: {
    name: 'Session',
    minPx: 84,
    maxPx: 120,
    rank: 15,
    cellClass: 'font-mono text-ink-2',
    title: ({ sessionId }) => sessionId ?? undefined,
    // Its end, by which neighbors can be told apart.
    cell: ({ sessionId }) => sessionId?.slice(-8) ?? NONE,
  },
  model: {
    name: 'Model',
    minPx: 96,
    maxPx: Number.POSITIVE_INFINITY,
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
    maxPx: 150,
    rank: 7,
    cellClass: 'text-ink-2',
    title: ({ provider }) => provider ?? undefined,
    cell: ({ provider }, { providerNames }) =>
      provider === null ? NONE : (providerNames.get(provider) ?? provider),
  },
  endpoint: {
    name: 'Endpoint',
    minPx: 120,
    maxPx: 200,
    rank: 9,
    cellClass: 'font-mono text-ink-2',
    title: ({ endpoint }) => endpoint ?? undefined,
    cell: ({ endpoint }) => endpoint?.replace(/^POST /, '') ?? NONE,
  },
  status: {
    name: 'Status',
    minPx: 90,
    maxPx: 108,
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
    maxPx: 104,
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
  cacheRead: {
    name: 'Cache read',
    minPx: 84,
    rank: 13,
    right: true,
    cellClass: 'text-ink-2',
    cell: ({ usage }) =>
      usage === null || usage.cacheRead === 0 ? NONE : formatCount(usage.cacheRead, true),
  },
  cost: {
    name: 'Cost',
    // Six decimals and the sign of a sample.
    minPx: 86,
    maxPx: 100,
    rank: 2,
    right: true,
    sort: 'cost',
    cell: (record) => <Cost record={record} />,
  },
  held: {
    name: 'Held',
    minPx: 86,
    maxPx: 96,
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
    maxPx: 76,
    rank: 6,
    right: true,
    sort: 'duration',
    cellClass: 'text-ink-2',
    title: () => 'From the request to the end of the response',
    cell: ({ timings }) => duration(timings.totalMs),
  },
  firstByte: {
    name: 'First byte',
    minPx: 76,
    rank: 10,
    right: true,
    cellClass: 'text-ink-2',
    cell: ({ timings }) => duration(timings.firstByteMs),
  },
  rate: {
    name: 'Tokens/s',
    minPx: 72,
    rank: 11,
    right: true,
    cellClass: 'text-ink-2',
    cell: (record) => {
      const rate = tokensPerSecond(record)
      return rate === null ? NONE : formatCount(Math.round(rate), true)
    },
  },
  attempts: {
    name: 'Attempts',
    minPx: 68,
    rank: 12,
    right: true,
    cellClass: 'text-ink-2',
    cell: ({ attempts }) => (attempts.length === 0 ? NONE : formatCount(attempts.length)),
  },
}

/** Whether another model than the requested one served it, and not only by a shorter name. */
function isOtherModel({ model, requestedModel }: RequestRecord): boolean {
  return model !== null && model !== requestedModel && !requestedModel?.endsWith(`/${model}`)
}

const SLOT = 'tollgate.request-columns'
const Chosen = z.array(z.enum(COLUMN_IDS))

const DEFAULT_COLUMNS: readonly ColumnId[] = [
  'time',
  'key',
  'model',
  'provider',
  'status',
  'tokens',
  'cost',
  'latency',
]

/** Always shown: without them, rows could not be told apart. */
export const FIXED_COLUMNS: readonly ColumnId[] = ['time', 'model']

interface ColumnStore {
  /** Ordered from left to right. */
  chosen: readonly ColumnId[]
  toggle(id: ColumnId): void
  reset(): void
}

/** The columns of the log that the user chose. Kept for the next start. */
export const useLogColumns = create<ColumnStore>()((set, get) => ({
  chosen: readChosen(),
  toggle(id) {
    const { chosen } = get()
    const next = COLUMN_IDS.filter((one) => chosen.includes(one) !== (one === id))
    localStorage.setItem(SLOT, JSON.stringify(next))
    set({ chosen: next })
  },
  reset() {
    localStorage.removeItem(SLOT)
    set({ chosen: DEFAULT_COLUMNS })
  },
}))

function readChosen(): readonly ColumnId[] {
  const stored = readStored(SLOT, Chosen)
  return stored
    ? COLUMN_IDS.filter((id) => stored.includes(id) || FIXED_COLUMNS.includes(id))
    : DEFAULT_COLUMNS
}

export interface ColumnLayout {
  /** The columns that fit, from left to right. */
  shown: readonly ColumnId[]
  /** The styles of a row. */
  grid: { gridTemplateColumns: string; columnGap: number; paddingInline: number }
}

/** The space left and right of a row. */
const PADDING_PX = 24
const NARROW_PX = 820
/** The narrowest layout, with less padding: the `@max-[30rem]` of the list. */
const NARROWEST_PX = 480
/** Who gets the space that is left, one after the other, before other columns become wider than they must be. */
const FIRST: readonly { id: ColumnId; px: number }[] = [
  { id: 'model', px: 40 },
  { id: 'key', px: 40 },
  { id: 'model', px: 40 },
]

/** The model's share of the remaining width; beyond that, in wide windows, all columns become wider alike. */
const MODEL_PX = 320

/** The width of a digit and of a comma in the column of costs. */
const DIGIT_PX = 7.5
const COMMA_PX = 3.5

/** The width of AM or PM in the column of times. */
const HALF_OF_DAY_PX = 24

/** The width that the column of costs needs beyond its minimum, which fits one digit before the point. */
function widenCost(largestUsd: number): number {
  const digits = String(Math.floor(largestUsd)).length
  return Math.ceil((digits - 1) * DIGIT_PX + Math.floor((digits - 1) / 3) * COMMA_PX)
}

/** Fits the chosen columns into a width, the most important ones first. No amount up to `largestUsd` is cut. */
export function fitColumns(chosen: readonly ColumnId[], widthPx: number, largestUsd = 0): ColumnLayout {
  const wider: Partial<Record<ColumnId, number>> = {
    cost: widenCost(largestUsd),
    time: hasTwelveHours() ? HALF_OF_DAY_PX : 0,
  }
  const leastPx = (id: ColumnId) => logColumns[id].minPx + (wider[id] ?? 0)
  const kept = new Set<ColumnId>()
  const gapPx = widthPx < NARROW_PX ? 8 : 12
  const paddingPx = widthPx < NARROWEST_PX ? 16 : PADDING_PX
  const roomPx = widthPx - 2 * paddingPx + gapPx
  let left = roomPx
  for (const id of chosen.toSorted((a, b) => logColumns[a].rank - logColumns[b].rank)) {
    left -= leastPx(id) + gapPx
    // The most important ones are always there: what was called, when, and what it cost.
    if (left < 0 && kept.size >= 3) break
    kept.add(id)
  }
  const shown = chosen.filter((id) => kept.has(id))
  const extraPx = shareOut(roomPx - shown.reduce((sum, id) => sum + leastPx(id) + gapPx, 0), shown)
  const sizes = shown.map((id) => writeTrack(leastPx(id) + (extraPx.get(id) ?? 0), logColumns[id].maxPx))
  return {
    shown,
    grid: { gridTemplateColumns: sizes.join(' '), columnGap: gapPx, paddingInline: paddingPx },
  }
}

/** Divides the remaining width among the columns. */
function shareOut(sparePx: number, shown: readonly ColumnId[]): ReadonlyMap<ColumnId, number> {
  const shares = new Map<ColumnId, number>()
  let left = Math.max(0, sparePx)
  for (const { id, px } of FIRST) {
    if (!shown.includes(id)) continue
    const share = Math.min(px, left)
    shares.set(id, (shares.get(id) ?? 0) + share)
    left -= share
  }
  const beyondPx = left - MODEL_PX
  if (Number.isFinite(beyondPx) && beyondPx > 0) {
    for (const id of shown) shares.set(id, (shares.get(id) ?? 0) + Math.floor(beyondPx / shown.length))
  }
  return shares
}

function writeTrack(minPx: number, maxPx: number | undefined): string {
  if (maxPx === undefined) return `${minPx}px`
  return `minmax(${minPx}px, ${Number.isFinite(maxPx) ? `${maxPx}px` : '1fr'})`
}
