// Updates of the desktop app. A browser has none.
import type { UpdateMode, UpdateState } from '../../shared/desktop/updates.ts'
import { throwDesktopError } from '../kit/api-error.ts'
import { query, queryClient } from './query-client.ts'

/** Null in a browser. */
export const updates = query(['updates'], async () => (await window.desktop?.getUpdates()) ?? null)

/** Keeps the state current until the returned function is called. */
export function followUpdates(): (() => void) | undefined {
  return window.desktop?.onUpdates(store)
}

export const checkForUpdates = () => apply(window.desktop?.checkForUpdates())
export const downloadUpdate = () => apply(window.desktop?.downloadUpdate())
export const dismissUpdateNews = () => apply(window.desktop?.dismissUpdateNews())
export const setUpdateMode = (mode: UpdateMode) => apply(window.desktop?.setUpdateMode(mode))

/** The app quits once the running requests are finished, and starts again. A second call ends them. */
export async function restartToUpdate(): Promise<void> {
  await window.desktop?.restartToUpdate().catch(throwDesktopError)
}

async function apply(change: Promise<UpdateState> | undefined): Promise<void> {
  const state = await change?.catch(throwDesktopError)
  if (state) store(state)
}

function store(state: UpdateState): void {
  queryClient.setQueryData(updates.queryKey, state)
}
