// The reports of crashes, and the checks of this installation, of the desktop app. A browser has neither.
import type { Check } from '../../shared/desktop/checks.ts'
import type { CrashReport } from '../../shared/desktop/crashes.ts'
import { throwDesktopError } from '../kit/api-error.ts'
import { query, queryClient } from './query-client.ts'

/** Newest first; none in a browser. */
export const crashes = query(['crashes'], async () => (await window.desktop?.listCrashes()) ?? [])

export const dismissCrashes = () => store(window.desktop?.markCrashesSeen())
export const deleteCrash = (id: string) => store(window.desktop?.deleteCrash(id))

/** Runs the checks now. With `calls`, every provider is called. */
export async function runChecks(calls: boolean): Promise<Check[]> {
  return (await window.desktop?.runChecks(calls).catch(throwDesktopError)) ?? []
}

async function store(change: Promise<CrashReport[]> | undefined): Promise<void> {
  const reports = await change?.catch(throwDesktopError)
  if (reports) queryClient.setQueryData(crashes.queryKey, reports)
}
