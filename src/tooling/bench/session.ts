// The common parts of all cases of a run: its sizes, its processes and its folders.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { cacheDir } from '../commands.ts'
import { type Electron, prepareElectron, startDesktopApp } from './electron.ts'
import { Admin, BUILT, createAdminKey, type Gateway, type Program, SOURCES, startGateway } from './gateway.ts'
import type { Target } from './jobs.ts'
import { LoadGenerator } from './load-generator.ts'
import { findLine, getPid, Processes } from './processes.ts'
import type { Sizes } from './sizes.ts'

export const UPSTREAM = 'upstream itself'
export const BARE = 'bare proxy'
export const HEADLESS = 'Tollgate, headless'
export const DESKTOP = 'Tollgate in Electron'

/** A script of this folder that listens. */
interface ListeningProcess {
  origin: string
  pid: number
}

/** A gateway that is ready for requests, with its administrator. */
export interface RunningGateway {
  gateway: Gateway
  dataDir: string
  admin: Admin
  target: Target
}

const Port = z.object({ port: z.number() })

export class Session {
  readonly sizes: Sizes
  readonly program: Program
  readonly processes = new Processes()
  readonly load = new LoadGenerator(this.processes)
  readonly #scratch = createScratchDir()
  #dataDirs = 0
  #upstream: Promise<ListeningProcess> | null = null
  #electron: Promise<Electron> | null = null

  constructor(sizes: Sizes) {
    this.sizes = sizes
    this.program = sizes.builtApp ? BUILT : SOURCES
  }

  /** The path of a folder that does not exist yet. */
  newDataDir(): string {
    this.#dataDirs += 1
    return join(this.#scratch, `data-${this.#dataDirs}`)
  }

  upstream(): Promise<ListeningProcess> {
    this.#upstream ??= this.#listen('upstream.ts')
    return this.#upstream
  }

  electron(): Promise<Electron> {
    this.#electron ??= prepareElectron(this.processes)
    return this.#electron
  }

  async upstreamTarget(): Promise<Target> {
    return createBareTarget(UPSTREAM, await this.upstream())
  }

  async startProxy(): Promise<Target> {
    const { origin } = await this.upstream()
    return createBareTarget(BARE, await this.#listen('proxy.ts', origin))
  }

  /** Starts the headless program on a data dir, by default a new one. `program` may contain flags of Node; `flags` are its own. */
  async startHeadless({
    dataDir = this.newDataDir(),
    program = this.program,
    flags = [],
  }: {
    dataDir?: string
    program?: Program
    flags?: readonly string[]
  } = {}): Promise<RunningGateway> {
    const adminKey = await createAdminKey(this.processes, this.program, dataDir)
    const gateway = await startGateway(this.processes, program, dataDir, flags)
    return await this.setUp(HEADLESS, { gateway, dataDir, adminKey })
  }

  /** Starts the app in Electron on a new data dir. */
  async startDesktop(): Promise<RunningGateway> {
    const dataDir = this.newDataDir()
    const adminKey = await createAdminKey(this.processes, this.program, dataDir)
    const gateway = await startDesktopApp(this.processes, await this.electron(), dataDir)
    return await this.setUp(DESKTOP, { gateway, dataDir, adminKey })
  }

  close(): void {
    this.processes.killAll()
    rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Gives a started gateway the upstream as its provider. */
  async setUp(
    name: string,
    { gateway, dataDir, adminKey }: { gateway: Gateway; dataDir: string; adminKey: string },
  ): Promise<RunningGateway> {
    const admin = new Admin(gateway.baseUrl, adminKey)
    const { origin } = await this.upstream()
    return { gateway, dataDir, admin, target: await admin.createTarget(name, gateway, `${origin}/v1`) }
  }

  async #listen(script: string, ...args: string[]): Promise<ListeningProcess> {
    const child = this.processes.startNode([join(import.meta.dirname, script), ...args])
    const { port } = Port.parse(JSON.parse(await findLine(child.stdout)))
    return { origin: `http://127.0.0.1:${port}`, pid: getPid(child) }
  }
}

/**
 * Creates it next to the project: the system's folder for temporary files may be in memory, where waiting for the disk takes
 * no time.
 */
function createScratchDir(): string {
  mkdirSync(cacheDir, { recursive: true })
  return mkdtempSync(join(cacheDir, 'bench-'))
}

function createBareTarget(name: string, { origin, pid }: ListeningProcess): Target {
  return { name, url: `${origin}/v1/chat/completions`, headers: {}, model: 'bench', pid }
}
