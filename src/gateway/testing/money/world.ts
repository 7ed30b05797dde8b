// The real side of the money model: a gateway with a real database, a scripted provider and a settable clock, which can be
// restarted and crashed. It observes every row through the gateway's own events.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RequestRecord } from '../../../shared/requests.ts'
import { createMemoryCredentials, startTestGateway, type TestGateway } from '../gateway.ts'
import { ScriptedProvider } from './scripted-provider.ts'

/** How long what runs may take to be settled once nobody waits for it any more. */
const SETTLED_MS = 10_000
/** Long enough for a busy machine: only a provider that means to be silent is. */
const LIMITS_MS = { connectTimeoutMs: 2_000, firstByteTimeoutMs: 2_000, stallTimeoutMs: 2_000 }
/** The log comes before the database: what a checkpoint moves meanwhile is then in both, and never in neither. */
const FILES = ['tollgate.db-wal', 'tollgate.db']

/** Who serves what. Groq has no `n`, so the gateway calls it once for each choice. */
export const PROVIDERS = { acme: ['honest', 'liar'], groq: ['single'] } as const

export class World {
  readonly provider: ScriptedProvider
  /** Rows that have begun and are not settled, by id. */
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
  readonly #left: Promise<void>[] = []
  readonly #whenIdle: (() => void)[] = []
  readonly #whenTold: (() => void)[] = []

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
    for (const id of ['acme', 'groq'] as const) await world.addProvider(id)
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
    return this.gateway.addProvider(id, this.provider.url, PROVIDERS[id], LIMITS_MS)
  }

  async restart(): Promise<void> {
    const { dataDir } = this.gateway
    await this.gateway.close()
    await this.#open(dataDir)
  }

  /** Goes on with a copy of the files as they are at this moment, as after a kill; what ran is told by its rows. */
  async crash(): Promise<readonly string[]> {
    const crashed = this.gateway
    const cut = [...this.running.keys()]
    const dir = this.#newDir()
    for (const name of FILES) {
      const from = join(crashed.dataDir, name)
      if (existsSync(from)) copyFileSync(from, join(dir, name))
    }
    // Nobody hears what it does from here on.
    this.#gateway = null
    this.running.clear()
    await this.#open(dir)
    this.#left.push(crashed.close())
    return cut
  }

  /** Resolves when nothing runs. Throws when that is long in coming. */
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

  /** The next time that the gateway tells of its account; at most a second. */
  accountTold(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 1_000)
      this.#whenTold.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  async close(): Promise<void> {
    await this.gateway.close()
    await Promise.all(this.#left)
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
      if (event.type === 'request') this.#heard(event.request)
      if (event.type === 'account') for (const resolve of this.#whenTold.splice(0)) resolve()
    })
  }

  #heard(row: RequestRecord): void {
    if (row.status === 'running') {
      this.running.set(row.id, row)
      return
    }
    this.running.delete(row.id)
    if (row.status !== 'refused' && row.status !== 'rejected') this.settled.push(row)
    if (this.running.size > 0) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }
}
