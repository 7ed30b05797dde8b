// The targets that are compared with each other.
import { errorMessage } from '../../shared/values/text.ts'
import type { Target } from './jobs.ts'
import { startPeer } from './peers.ts'
import type { Session } from './session.ts'

export interface Targets {
  targets: readonly Target[]
  /** A sentence for each that is missing. */
  remarks: readonly string[]
}

/** Upstream, proxy and Tollgate; with the built app also Electron and the peer. */
export async function startTargets(session: Session): Promise<Targets> {
  const targets = [
    await session.upstreamTarget(),
    await session.startProxy(),
    (await session.startHeadless()).target,
  ]
  const remarks: string[] = []
  if (!session.sizes.builtApp) return { targets, remarks }
  const upstream = await session.upstream()
  const others = {
    Electron: async () => {
      const { origin } = await session.electron()
      remarks.push(`Tollgate in Electron ran in ${origin}.`)
      return (await session.startDesktop()).target
    },
    'The peer': () => startPeer(session.processes, `${upstream.origin}/v1`),
  }
  for (const [name, start] of Object.entries(others)) {
    try {
      targets.push(await start())
    } catch (error) {
      remarks.push(`${name} is not measured: ${errorMessage(error).split('\n')[0]}`)
    }
  }
  return { targets, remarks }
}

/** Stops them, so that other cases have the machine to themselves. The upstream stays. */
export async function stopTargets(session: Session, { targets }: Targets): Promise<void> {
  const { pid: upstream } = await session.upstream()
  for (const { pid } of targets) if (pid !== upstream) await session.processes.stop(pid)
}
