// Owns the window's view of the price database in use, and the fetching of a newer one.
import { create } from 'zustand'
import type { PriceStatus } from '../../shared/pricing.ts'
import { api } from '../api.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'
import { useModels } from './models.ts'

interface PricesStore extends Loaded {
  prices: PriceStatus | null
  refresh(): Promise<void>
  /** Has the gateway fetch the newest prices. Throws ApiError when they cannot be had; the old ones stay. */
  fetchNewest(): Promise<PriceStatus>
}

export const usePrices = create<PricesStore>()((set, get) => ({
  ...notLoaded,
  prices: null,
  refresh: () => load<PricesStore>(set, get, async () => ({ prices: await api('getPrices') })),
  async fetchNewest() {
    const prices = await api('refreshPrices')
    set({ prices })
    await useModels.getState().refresh()
    return prices
  },
}))
