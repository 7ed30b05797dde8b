// The common parts of all cases of a run: its sizes, its processes and its folders.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type TestClient, testClient } from '../../gateway/testing/gateway.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { cacheDir } from '../commands.ts'
import type { Target } from './chat-request.ts'
import { waitFor } from './clock.ts'
import { type Electron, prepareElectron, startApp } from './electron.ts'
import {
  BUILT,
  createAdminKey,
  createTarget,
  type Gateway,
  type Program,
  readBaseUrl,
  SOURCES,
  startGateway,
} from './gateway.ts'
import { startPeer } from './peers.ts'
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
  dataDir: string
  admin: TestClient
  target: Target
}

/** The targets that are compared with each other, and a sentence for each that is missing. */
interface Compared {
  targets: readonly Target[]
  remarks: readonly string[]
}

const Port = z.object({ port: z.number() })

export class Session {
  readonly sizes: Sizes
  readonly program: Program
  readonly processes = new Processes()
  readonly #scratch = createScratchDir()
  #dataDirs = 0
  #upstream: Promise<ListeningProcess> | null = null
  #electron: Promise<Electron> | null = null
  #compared: Promise<Compared> | null = null

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

  /** Upstream, proxy and Tollgate; with the built app also Electron and the peer. They run until `stopCompared`. */
  compared(): Promise<Compared> {
    this.#compared ??= this.#startCompared()
    return this.#compared
  }

  /** Stops the compared targets, so that others have the machine to themselves. The upstream stays. */
  async stopCompared(): Promise<void> {
    const { targets } = (await this.#compared) ?? { targets: [] }
    this.#compared = null
    for (const { name, pid } of targets) if (name !== UPSTREAM) await this.processes.stop(pid)
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
    return await this.#setUp(HEADLESS, gateway, { dataDir, adminKey })
  }

  /** Starts the headless program, and stops it. Returns the milliseconds until it listened. */
  async timeStart(dataDir: string): Promise<number> {
    const { pid, readyMs } = await startGateway(this.processes, this.program, dataDir)
    await this.processes.stop(pid)
    return readyMs
  }

  /** Starts the app in Electron on a new data dir. `host`: of Chromium's debugging protocol. */
  async startDesktop(): Promise<RunningGateway & { host: string }> {
    const dataDir = this.newDataDir()
    const adminKey = await createAdminKey(this.processes, this.program, dataDir)
    const { child, host } = await startApp(this.processes, await this.electron(), dataDir)
    const baseUrl = await waitFor(() => readBaseUrl(dataDir))
    return { host, ...(await this.#setUp(DESKTOP, { pid: getPid(child), baseUrl }, { dataDir, adminKey })) }
  }

  electron(): Promise<Electron> {
    this.#electron ??= prepareElectron(this.processes)
    return this.#electron
  }

  close(): void {
    this.processes.killAll()
    rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 5 })
  }

  async #startCompared(): Promise<Compared> {
    const upstream = await this.upstream()
    const proxy = await this.#listen('proxy.ts', upstream.origin)
    const targets = [
      createBareTarget(UPSTREAM, upstream),
      createBareTarget(BARE, proxy),
      (await this.startHeadless()).target,
    ]
    const remarks: string[] = []
    if (!this.sizes.builtApp) return { targets, remarks }
    const others = {
      Electron: async () => {
        const { origin } = await this.electron()
        remarks.push(`Tollgate in Electron ran in ${origin}.`)
        return (await this.startDesktop()).target
      },
      'The peer': () => startPeer(this.processes, `${upstream.origin}/v1`),
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

  /** Gives a started gateway the upstream as its provider. */
  async #setUp(
    name: string,
    gateway: Gateway,
    { dataDir, adminKey }: { dataDir: string; adminKey: string },
  ): Promise<RunningGateway> {
    const admin = testClient(gateway.baseUrl, adminKey)
    const upstreamUrl = `${(await this.upstream()).origin}/v1`
    return { dataDir, admin, target: await createTarget(admin, { name, pid: gateway.pid, upstreamUrl }) }
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
