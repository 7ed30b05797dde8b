// A gateway as the desktop app and `tollgate serve` start it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { vi } from 'vitest'
import { type ExitResult, PROGRAM_FILE } from '../../gateway/testing/program.ts'
import { appVersion } from '../../host/files.ts'
import { GatewayClient } from '../../host/gateway-client.ts'
import { createHostLog } from '../../host/log.ts'
import type { Host } from '../../host/start.ts'
import { startTestHost } from '../../host/testing/test-host.ts'
import { run } from '../program.ts'

export type CommandEnd = Omit<ExitResult, 'signal'>

/** Where a command is called: its folder, variables that it has as well, and its input. */
export interface CommandPlace {
  cwd?: string
  env?: Readonly<Record<string, string | undefined>>
  input?: string
}

export interface CommandHost {
  host: Host
  baseUrl: string
  /** A client with the owner's rights. */
  client: GatewayClient
  /** The environment of the program. */
  env: Record<string, string | undefined>
  /** Runs the program to its end, in this process. */
  tollgate(...args: string[]): Promise<CommandEnd>
  tollgateIn(place: CommandPlace, ...args: string[]): Promise<CommandEnd>
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
  const tollgate: CommandHost['tollgateIn'] = (place, ...args) =>
    runHere(args, { ...place, env: { TOLLGATE_DATA_DIR: host.dataDir, ...place.env } })
  return {
    host,
    baseUrl,
    client: new GatewayClient(host.dataDir),
    env,
    tollgate: (...args) => tollgate({}, ...args),
    tollgateIn: tollgate,
    stop: () => host.close(),
    async close() {
      await host.close()
      await log.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Runs the program to its end, in this process. */
export async function runHere(
  args: readonly string[],
  { cwd = process.cwd(), env = {}, input }: CommandPlace = {},
): Promise<CommandEnd> {
  const written = { stdout: '', stderr: '' }
  const outputs = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text)
      return true
    }),
  )
  const spies = [...outputs, vi.spyOn(process, 'cwd').mockReturnValue(cwd)]
  const { argv } = process
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {}
  if (input !== undefined)
    Object.defineProperty(process, 'stdin', { ...stdin, get: () => Readable.from([input]) })
  process.argv = [...argv.slice(0, 1), PROGRAM_FILE, ...args]
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  try {
    return { code: await run(args), ...written }
  } finally {
    process.exitCode = undefined
    process.argv = argv
    Object.defineProperty(process, 'stdin', stdin)
    vi.unstubAllEnvs()
    for (const spy of spies) spy.mockRestore()
  }
}
