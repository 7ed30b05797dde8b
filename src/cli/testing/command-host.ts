// A gateway as the desktop app and `tollgate serve` start it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import type { ExitResult } from '../../gateway/testing/program.ts'
import { appVersion } from '../../host/files.ts'
import { createHostLog } from '../../host/log.ts'
import type { Host } from '../../host/start.ts'
import { startTestHost } from '../../host/testing/test-host.ts'
import { run } from '../program.ts'

export interface CommandHost {
  host: Host
  baseUrl: string
  /** The environment of the program. */
  env: Record<string, string | undefined>
  /** Runs the program to its end, in this process. */
  tollgate(...args: string[]): Promise<Omit<ExitResult, 'signal'>>
  /** Stops the gateway. */
  stop(): Promise<void>
  /** Stops it and removes its data. */
  close(): Promise<void>
}

export async function startCommandHost(): Promise<CommandHost> {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-command-'))
  const log = createHostLog(() => {})
  const host = await startTestHost({ dataDir: join(dir, 'data'), log, version: appVersion() })
  const { baseUrl } = await host.listen(0)
  const env = { ...process.env, TOLLGATE_DATA_DIR: host.dataDir, NO_COLOR: '1' }
  return {
    host,
    baseUrl,
    env,
    tollgate: (...args) => runHere(args, host.dataDir),
    stop: () => host.close(),
    async close() {
      await host.close()
      await log.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function runHere(args: readonly string[], dataDir: string): Promise<Omit<ExitResult, 'signal'>> {
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text)
      return true
    }),
  )
  vi.stubEnv('TOLLGATE_DATA_DIR', dataDir)
  try {
    return { code: await run(args), ...written }
  } finally {
    process.exitCode = undefined
    vi.unstubAllEnvs()
    for (const spy of spies) spy.mockRestore()
  }
}
