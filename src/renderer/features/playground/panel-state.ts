// The state of the playground's two panels: open next to the conversation in a wide window, over it in others.
import { z } from 'zod'
import { create } from 'zustand'

export type PanelName = 'chats' | 'parameters'

const Docked = z.object({ chats: z.boolean(), parameters: z.boolean() })
const STORAGE_KEY = 'tollgate.playground-panels'

interface PanelStore {
  /** Whether they are open next to the conversation. */
  docked: z.infer<typeof Docked>
  /** Open over the conversation. */
  over: PanelName | null
  setDocked(name: PanelName, open: boolean): void
  setOver(name: PanelName | null): void
}

export const usePanels = create<PanelStore>()((set, get) => ({
  docked: loadDocked(),
  over: null,
  setDocked(name, open) {
    const docked = { ...get().docked, [name]: open }
    localStorage.setItem(STORAGE_KEY, JSON.stringify(docked))
    set({ docked })
  },
  setOver: (over) => set({ over }),
}))

function loadDocked(): z.infer<typeof Docked> {
  try {
    return Docked.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? ''))
  } catch {
    return { chats: true, parameters: false }
  }
}
