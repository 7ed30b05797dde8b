// Owns the window's view of the gateway's settings.
import { create } from 'zustand'
import type { Settings, SettingsUpdate } from '../../shared/account.ts'
import { api } from '../api.ts'
import { useAccount } from './account.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'

interface SettingsStore extends Loaded {
  settings: Settings | null
  refresh(): Promise<void>
  updateSettings(change: SettingsUpdate): Promise<void>
}

export const useSettings = create<SettingsStore>()((set, get) => ({
  ...notLoaded,
  settings: null,
  refresh: () => load<SettingsStore>(set, get, async () => ({ settings: await api('getSettings') })),
  async updateSettings(change) {
    set({ settings: await api('updateSettings', { body: change }) })
    // Days and months are counted in the time zone, so the account's sums may be others now.
    if ('timeZone' in change) await useAccount.getState().refresh()
  },
}))
