import { create } from 'zustand'

interface ConnectionStore {
  /** Whether live events arrive from the gateway. */
  state: 'connecting' | 'live' | 'lost'
}

export const useConnection = create<ConnectionStore>()(() => ({ state: 'connecting' }))
