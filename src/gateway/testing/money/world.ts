// The real side of the money model: a gateway with a real database, a scripted provider and a settable clock, which can be
// restarted and crashed. It observes every row through the gateway's own events.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RequestRecord } from '../../../shared/requests.ts'
import { createMemoryCredentials, startTestGateway, type TestGateway } from '../gateway.ts'
import { ScriptedProvider } from './scripted-provider.ts'

/** Milliseconds for running requests to be settled after their clients have disconnected. */
const SETTLED_MS = 60_000
/** Long enough for a busy machine: only scripted stalls time out, which have a provider of their own. */
const TIMEOUTS = { connectTimeoutMs: 60_000, firstByteTimeoutMs: 60_000, stallTimeoutMs: 60_000 }
const STALL_MS = 2_000
/** In this order, pages that a checkpoint moves during the copy are in both files rather than in neither. */
const FILES = ['tollgate.db-wal', 'tollgate.db']

/** The models of each provider. Groq has no `n`, so the gateway calls it once for each choice. */
export const PROVIDERS = { acme: ['plausible', 'implausible'], groq: ['single'], slow: ['stalling'] } as const

export class World {
  readonly provider: ScriptedProvider
  /** Rows that are not settled yet, by id. */
  readonly running = new Map<string, RequestRecord>()
  /** Settled rows, in the order of settling. */
  readonly settled: RequestRecord[] = []
  /** Calls and changes made so far. */
  steps = 0
  #gateway: TestGateway | null = null
  #secret = ''
  #offsetMs = 0
  readonly #root = mkdtempSync(join(tmpdir(), 'tollgate-money-'))
  #dirs = 0
  readonly #credentials = createMemoryCredentials()
  readonly #closing: Promise<void>[] = []
  readonly #whenRecorded = new Map<string, () => void>()
  readonly #whenIdle: (() => void)[] = []
  readonly #whenAccountChanges: (() => void)[] = []

  private constructor(provider: ScriptedProvider) {
    this.provider = provider
  }

  static async start(): Promise<World> {
    const world = new World(await ScriptedProvider.start())
    await world.#open(world.#newDir())
    const limits = { requestsPerMinute: 1_000_000_000, tokensPerMinute: Number.MAX_SAFE_INTEGER }
    await world.gateway.call('PATCH', '/v1/settings', {
      body: { planLimits: { 'pay-as-you-go': limits, bundle: limits } },
    })
    for (const id of ['acme', 'groq', 'slow'] as const) await world.addProvider(id)
    return world
  }

  get gateway(): TestGateway {
    if (!this.#gateway) throw new Error('the gateway is closed')
    return this.#gateway
  }

  now(): number {
    return Date.now() + this.#offsetMs
  }

  jump(ms: number): void {
    this.#offsetMs += ms
  }

  addProvider(id: keyof typeof PROVIDERS): Promise<void> {
    const timeouts = id === 'slow' ? { ...TIMEOUTS, firstByteTimeoutMs: STALL_MS } : TIMEOUTS
    return this.gateway.addProvider(id, this.provider.url, PROVIDERS[id], timeouts)
  }

  async restart(): Promise<void> {
    const { dataDir } = this.gateway
    await this.gateway.close()
    await this.#open(dataDir)
  }

  /** Continues with a copy of the files as they are now, as after a kill. Returns the ids of the interrupted requests. */
  async crash(): Promise<readonly string[]> {
    const crashed = this.gateway
    const cut = [...this.running.keys()]
    const dir = this.#newDir()
    for (const name of FILES) {
      const from = join(crashed.dataDir, name)
      if (existsSync(from)) copyFileSync(from, join(dir, name))
    }
    // Its events are ignored from now on.
    this.#gateway = null
    this.running.clear()
    await this.#open(dir)
    this.#closing.push(crashed.close())
    return cut
  }

  /** Resolves when no request is running. Throws after `SETTLED_MS`. */
  async idle(): Promise<void> {
    if (this.running.size === 0) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const fail = () =>
        reject(new Error(`still running: ${[...this.running.values()].map(({ client }) => client)}`))
      timer = setTimeout(fail, SETTLED_MS)
    })
    const idle = new Promise<void>((resolve) => this.#whenIdle.push(resolve))
    await Promise.race([idle, late]).finally(() => clearTimeout(timer))
  }

  /** Resolves when the running request of this client is recorded. */
  recorded(client: string): Promise<void> {
    if ([...this.running.values()].some((row) => row.client === client)) return Promise.resolve()
    return new Promise((resolve) => this.#whenRecorded.set(client, resolve))
  }

  /** Resolves at the next account event, or after a second. */
  nextAccountEvent(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 1_000)
      this.#whenAccountChanges.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  async close(): Promise<void> {
    await this.gateway.close()
    await Promise.all(this.#closing)
    await this.provider.close()
    rmSync(this.#root, { recursive: true, force: true })
  }

  #newDir(): string {
    this.#dirs += 1
    const dir = join(this.#root, String(this.#dirs))
    mkdirSync(dir, { mode: 0o700 })
    return dir
  }

  async #open(dataDir: string): Promise<void> {
    const clock = { now: () => this.now(), monotonic: () => performance.now() }
    const options = { clock, dataDir, credentials: this.#credentials }
    const gateway = await startTestGateway(
      this.#secret === '' ? options : { ...options, admin: this.#secret },
    )
    this.#secret = gateway.admin
    this.#gateway = gateway
    gateway.gateway.subscribe((event) => {
      if (this.#gateway !== gateway) return
      if (event.type === 'request') this.#onRequest(event.request)
      if (event.type === 'account') for (const resolve of this.#whenAccountChanges.splice(0)) resolve()
    })
  }

  #onRequest(row: RequestRecord): void {
    if (row.status === 'running') {
      this.running.set(row.id, row)
      this.#whenRecorded.get(row.client ?? '')?.()
      return
    }
    this.running.delete(row.id)
    if (row.status !== 'refused' && row.status !== 'rejected') this.settled.push(row)
    if (this.running.size > 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }
}
