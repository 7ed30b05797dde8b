// One simulated process of the gateway: the real services and request handler, over simulated time, disk and network.

import { createServices } from '../../compose/features.ts'
import { LOOPBACK_ONLY } from '../../http/origin-guard.ts'
import type { CredentialStore } from '../../models/providers/credential-store.ts'
import { TokenCounter } from '../../models/tokens/token-counter.ts'
import { createRequestListeners, type RequestListeners } from '../../operations/server.ts'
import { silentLog } from '../../platform/log.ts'
import type { MemoryDatabase } from '../../store/testing/memory-database.ts'
import { createSimulatedStore, type Disk } from './store.ts'
import { type Network, SimulatedPool } from './vendor.ts'
import type { VirtualTime } from './virtual-time.ts'

export type Services = Awaited<ReturnType<typeof createServices>>

/** Counts without a thread. */
class SimulatedTokenCounter extends TokenCounter {
  override count(text: string): Promise<number> {
    return Promise.resolve(Math.ceil(Buffer.byteLength(text) / 4))
  }
}

export interface ProcessDeps {
  time: VirtualTime
  wallAt(monotonic: number): number
  database: MemoryDatabase
  disk: Disk
  network: Network
  credentials: CredentialStore
  random(): number
  commitMs(): number
  onCrash(): void
}

export class SimulatedProcess {
  services: Services | null = null
  listeners: RequestListeners | null = null
  isOver = false

  /** Resolves when the process serves requests; never if it crashes before. */
  async start(deps: ProcessDeps): Promise<Services> {
    const { time, network, database, disk } = deps
    const isOver = () => this.isOver
    const clock = time.createClock(deps.wallAt, isOver)
    database.begin()
    const crash = () => {
      if (!this.isOver) deps.onCrash()
    }
    const store = createSimulatedStore({
      database,
      disk,
      timers: clock.timers,
      now: () => time.now,
      commitMs: deps.commitMs,
      crash,
      // The host ends the process when its store has failed.
      onFatal: crash,
    })
    const options = {
      dataDir: '/simulated',
      version: '0.0.0',
      credentials: deps.credentials,
      log: silentLog,
      interfaceDir: null,
      createAdminKey: false,
      clock,
    }
    const pool = new SimulatedPool(clock, network, isOver)
    const parts = { pool, tokens: new SimulatedTokenCounter(), random: deps.random }
    const services = await createServices(options, store, new AbortController().signal, parts)
    this.listeners = createRequestListeners({
      ...services,
      networkAccess: LOOPBACK_ONLY,
      interfaceDir: null,
      port: () => 0,
      info: () => {
        throw new Error('a simulated process has no address')
      },
    })
    this.services = services
    return services
  }
}
