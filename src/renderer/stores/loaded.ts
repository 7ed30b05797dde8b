// Owns what every store of server truth has in common: whether it has come, is coming, or failed to.
import type { ApiError } from '../api-error.ts'
import { toApiError } from '../api-error.ts'

export interface Loaded {
  /** `first`: nothing has come yet. Refreshing later keeps `ready`, so that nothing on the screen jumps. */
  state: 'first' | 'ready' | 'failed'
  error: ApiError | null
}

export const notLoaded: Loaded = { state: 'first', error: null }
export const loaded: Loaded = { state: 'ready', error: null }

/** Runs a load; what was there before stays on the screen when a refresh fails. */
export async function load<S extends Loaded>(
  set: (part: Partial<S> | Loaded) => void,
  get: () => S,
  read: () => Promise<Partial<S>>,
): Promise<void> {
  try {
    const part = await read()
    set({ ...part, ...loaded })
  } catch (thrown) {
    const state = get().state === 'ready' ? 'ready' : 'failed'
    set({ state, error: toApiError(thrown) })
  }
}
