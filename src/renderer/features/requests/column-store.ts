import { z } from 'zod'
import { create } from 'zustand'
import { COLUMN_IDS, type ColumnId } from './log-columns.tsx'

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
