// The cases of the benchmark, in the order in which they run.
import { measureCounts } from './cases/counts.ts'
import { measureDisk } from './cases/disk.ts'
import { measureFeatures } from './cases/features.ts'
import { measureGrowth } from './cases/growth.ts'
import { measurePacedStreams } from './cases/paced.ts'
import { measureProfile } from './cases/profile.ts'
import { measureProxies } from './cases/proxies.ts'
import { measureRates } from './cases/rates.ts'
import { measureStart } from './cases/start.ts'
import { measureThroughput } from './cases/throughput.ts'
import { measureWindow } from './cases/window.ts'
import type { CaseReport } from './report.ts'
import type { Session } from './session.ts'
import { startTargets, stopTargets, type Targets } from './targets.ts'

/** They share their targets. */
const COMPARED = { throughput: measureThroughput, rates: measureRates, paced: measurePacedStreams } as const

/** They come first, because they do not depend on the machine. */
const COUNTED = { counts: measureCounts } as const

const OTHERS = {
  features: measureFeatures,
  disk: measureDisk,
  start: measureStart,
  growth: measureGrowth,
  window: measureWindow,
  profile: measureProfile,
} as const

/** They run only if they are asked for, and have a page of their own. */
const SEPARATE = { proxies: measureProxies } as const

export const CASE_NAMES: readonly string[] = [COUNTED, COMPARED, OTHERS, SEPARATE].flatMap((table) =>
  Object.keys(table),
)

/** Runs the case with this name, or those of the whole run. `onReport` is called after each. */
export async function runCases(
  session: Session,
  only: string | undefined,
  onReport: (report: CaseReport) => void,
): Promise<void> {
  const wanted = (name: string) => only === undefined || only === name
  for (const [name, measure] of Object.entries(COUNTED)) if (wanted(name)) onReport(await measure(session))
  let targets: Targets | null = null
  for (const [name, measure] of Object.entries(COMPARED)) {
    if (!wanted(name)) continue
    targets ??= await startTargets(session)
    onReport(await measure(session, targets))
  }
  if (targets) await stopTargets(session, targets)
  // The window is that of the built app.
  for (const [name, measure] of Object.entries(OTHERS))
    if (wanted(name) && (name !== 'window' || session.sizes.builtApp)) onReport(await measure(session))
  for (const [name, measure] of Object.entries(SEPARATE)) if (only === name) onReport(await measure(session))
}
