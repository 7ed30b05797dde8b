// Crash reports, checks and updates of the desktop app. A browser has none of them.

import type { Check } from '../../shared/desktop/checks.ts'
import type { CrashReport } from '../../shared/desktop/crashes.ts'
import type { DesktopBridge } from '../../shared/desktop/desktop.ts'
import type { UpdateMode, UpdateState } from '../../shared/desktop/updates.ts'
import { throwDesktopError } from '../kit/api-error.ts'
import { query, queryClient } from './query-client.ts'

declare global {
  interface Window {
    /** Only in the Electron window. */
    readonly desktop?: DesktopBridge
  }
}

/** Newest first; none in a browser. */
export const crashes = query(['crashes'], async () => (await window.desktop?.listCrashes()) ?? [])

export const dismissCrashes = () => storeCrashes(window.desktop?.markCrashesSeen())
export const deleteCrash = (id: string) => storeCrashes(window.desktop?.deleteCrash(id))

async function storeCrashes(change: Promise<CrashReport[]> | undefined): Promise<void> {
  const reports = await change?.catch(throwDesktopError)
  if (reports) queryClient.setQueryData(crashes.queryKey, reports)
}

/** Runs the checks now. With `calls`, every provider is called. */
export async function runChecks(calls: boolean): Promise<Check[]> {
  return (await window.desktop?.runChecks(calls).catch(throwDesktopError)) ?? []
}

/** Null in a browser. */
export const updates = query(['updates'], async () => (await window.desktop?.getUpdates()) ?? null)

const showUpdates = (state: UpdateState) => queryClient.setQueryData(updates.queryKey, state)

/** Keeps the state current until the returned function is called. */
export const followUpdates = () => window.desktop?.onUpdates(showUpdates)

export const checkForUpdates = () => storeUpdates(window.desktop?.checkForUpdates())
export const downloadUpdate = () => storeUpdates(window.desktop?.downloadUpdate())
export const dismissUpdateNews = () => storeUpdates(window.desktop?.dismissUpdateNews())
export const setUpdateMode = (mode: UpdateMode) => storeUpdates(window.desktop?.setUpdateMode(mode))

async function storeUpdates(change: Promise<UpdateState> | undefined): Promise<void> {
  const state = await change?.catch(throwDesktopError)
  if (state) showUpdates(state)
}

/** The app quits once the running requests are finished, and starts again. A second call ends them. */
export async function restartToUpdate(): Promise<void> {
  await window.desktop?.restartToUpdate().catch(throwDesktopError)
}
