import { z } from 'zod'
import { create } from 'zustand'

export const DetailTab = z.enum(['overview', 'messages', 'request', 'response'])
export type DetailTab = z.infer<typeof DetailTab>

export const DETAIL_TABS: readonly { id: DetailTab; name: string }[] = [
  { id: 'overview', name: 'Overview' },
  { id: 'messages', name: 'Messages' },
  { id: 'request', name: 'Raw request' },
  { id: 'response', name: 'Raw response' },
]

const SLOT = 'tollgate.wide-request-panel'

interface DetailLayout {
  tab: DetailTab
  /** Covers most of the list, for reading. */
  wide: boolean
  setTab(tab: DetailTab): void
  toggleWide(): void
}

/** Stays the same from one request to the next. The width is also kept for the next start. */
export const useDetailLayout = create<DetailLayout>()((set, get) => ({
  tab: 'overview',
  wide: localStorage.getItem(SLOT) !== null,
  setTab: (tab) => set({ tab }),
  toggleWide() {
    const wide = !get().wide
    if (wide) localStorage.setItem(SLOT, '1')
    else localStorage.removeItem(SLOT)
    set({ wide })
  },
}))
