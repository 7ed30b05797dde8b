// Owns the gateway under load as a process: started on the one data dir, killed, its memory read from outside.
import { type Ended, serve } from '../../contract/testing/program.ts'
import { stateOf } from './process-state.ts'

const NOT_HEEDED_MS = 30_000

export interface GatewayProcess {
  baseUrl: string
  /** The first admin key, on the first start. */
  adminKey: string | null
  /** Milliseconds from the start of the process to its line. */
  readyMs: number
  /** Set once the process has ended, whoever ended it. */
  ended(): Ended | null
  kill(): Promise<Ended>
  /** SIGTERM, and SIGKILL where that is not heeded for half a minute. */
  terminate(): Promise<Ended>
  /** The most memory that it ever held; 0 where /proc does not tell. */
  peakRssMiB(): number
}

export async function startGatewayProcess(dataDir: string): Promise<GatewayProcess> {
  const startedAt = performance.now()
  const running = serve(['--port', '0', '--data-dir', dataDir, '--credentials', 'memory'])
  const { baseUrl, adminKey } = await running.ready
  const readyMs = performance.now() - startedAt
  let end: Ended | null = null
  void running.ended.then((ended) => {
    end = ended
  })
  const kill = () => {
    running.child.kill('SIGKILL')
    return running.ended
  }
  const terminate = () => {
    running.child.kill('SIGTERM')
    const timer = setTimeout(kill, NOT_HEEDED_MS)
    return running.ended.finally(() => clearTimeout(timer))
  }
  return {
    baseUrl,
    adminKey: adminKey ?? null,
    readyMs,
    ended: () => end,
    kill,
    terminate,
    peakRssMiB: () => stateOf(running.child.pid ?? 0).peakMiB,
  }
}
