import { create } from 'zustand'
import type { ApiError } from './api-error.ts'

interface ConnectionStore {
  /** Whether live events arrive from the gateway. */
  state: 'connecting' | 'live' | 'lost'
  /** Why the gateway is of no use now. Null also while a lost connection may be that of a gateway that restarts. */
  outage: ApiError | null
}

/** A gateway that restarts is back within this time. */
const RESTART_MS = 2000

export const useConnection = create<ConnectionStore>()(() => ({ state: 'connecting', outage: null }))

let timer: ReturnType<typeof setTimeout> | undefined

export function markConnection(state: 'connecting' | 'live'): void {
  clearTimeout(timer)
  timer = undefined
  useConnection.setState({ state, outage: null })
}

/**
 * Marks the connection as lost, with the error of the last attempt to connect. If the gateway answered with an error, it has
 * not restarted, and the loss is known immediately.
 */
export function markLost(error: ApiError): void {
  useConnection.setState({ state: 'lost' })
  if (error.status !== 0 || useConnection.getState().outage !== null) {
    clearTimeout(timer)
    timer = undefined
    useConnection.setState({ outage: error })
  } else {
    timer ??= setTimeout(() => useConnection.setState({ outage: error }), RESTART_MS)
  }
}
