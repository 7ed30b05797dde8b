import { serve } from '../../contract/testing/program.ts'
import type { ExitResult } from '../../gateway/testing/program.ts'
import { readProcessState } from './process-state.ts'

const KILL_AFTER_MS = 30_000

export interface GatewayProcess {
  baseUrl: string
  /** The first admin key, on the first start. */
  adminKey: string | null
  /** Milliseconds from the start of the process to its first line of output. */
  readyMs: number
  /** Set once the process has ended. */
  exitResult(): ExitResult | null
  kill(): Promise<ExitResult>
  /** Sends SIGTERM, and SIGKILL after 30 s. */
  terminate(): Promise<ExitResult>
  /** Its peak memory; 0 on systems without /proc. */
  peakRssMiB(): number
}

export async function startGatewayProcess(dataDir: string): Promise<GatewayProcess> {
  const startedAt = performance.now()
  const running = serve(['--port', '0', '--data-dir', dataDir, '--credentials', 'memory'])
  const { baseUrl, adminKey } = await running.ready
  const readyMs = performance.now() - startedAt
  let end: ExitResult | null = null
  void running.ended.then((ended) => {
    end = ended
  })
  const kill = () => {
    running.child.kill('SIGKILL')
    return running.ended
  }
  const terminate = () => {
    running.child.kill('SIGTERM')
    const timer = setTimeout(kill, KILL_AFTER_MS)
    return running.ended.finally(() => clearTimeout(timer))
  }
  return {
    baseUrl,
    adminKey: adminKey ?? null,
    readyMs,
    exitResult: () => end,
    kill,
    terminate,
    peakRssMiB: () => readProcessState(running.child.pid ?? 0).peakMiB,
  }
}
