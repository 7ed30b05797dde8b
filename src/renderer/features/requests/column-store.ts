import { z } from 'zod'
import { create } from 'zustand'
import { hasTwelveHours } from '../../../shared/values/locale.ts'
import { COLUMN_IDS, type ColumnId, logColumns } from './log-columns.tsx'

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
  try {
    const { data } = Chosen.safeParse(JSON.parse(localStorage.getItem(SLOT) ?? 'null'))
    return data ? COLUMN_IDS.filter((id) => data.includes(id) || FIXED_COLUMNS.includes(id)) : DEFAULT_COLUMNS
  } catch {
    return DEFAULT_COLUMNS
  }
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
