import { Settings as SettingsSchema, type SettingsUpdate } from '../../shared/api/account.ts'
import { systemTimeZone } from '../../shared/values/calendar.ts'
import type { Clock } from '../platform/clock.ts'
import type { EventHub } from '../platform/events.ts'
import { omitUndefined } from '../platform/fields.ts'
import type { Log } from '../platform/log.ts'
import { RetriedWrites } from '../platform/retried-writes.ts'
import { SerialQueue } from '../platform/wait.ts'
import type { Store } from '../store/store.ts'

type SettingsValue = ReturnType<typeof SettingsSchema.parse>

const DEFAULTS: SettingsValue = {
  allowedOrigins: [],
  containerAccess: false,
  storeBodies: false,
  storeBodiesUntil: null,
  keepHistory: false,
  retentionDays: 90,
  maxLogMb: 1024,
  timeZone: null,
  planLimits: {},
  durability: 'standard',
  strictLimits: false,
  askSeconds: 240,
  notifyAtPercent: [50, 80, 100],
  planNotifyAtPercent: [80, 95],
  planResetNoticeMinutes: null,
  planOnly: false,
  planOverflow: false,
  guard: { enabled: true, sensitivity: 'standard' },
  network: 'direct',
}
const NAME = 'settings'

/** The services that most others need. */
export interface CommonServices {
  store: Store
  clock: Clock
  events: EventHub
  settings: Settings
  log: Log
}

export class Settings {
  readonly #store: Store
  readonly #stored: Readonly<Record<string, unknown>>
  readonly #changes = new SerialQueue()
  #value: SettingsValue
  readonly #listeners: (() => Promise<void>)[] = []

  constructor(store: Store, stored: Readonly<Record<string, unknown>>) {
    this.#store = store
    this.#stored = stored
    this.#value = { ...DEFAULTS, ...toSettings(parseStored(stored[NAME])) }
  }

  get value(): Readonly<SettingsValue> {
    return this.#value
  }

  /** The zone that decides days and months: the user's choice, else the operating system's. */
  get timeZone(): string {
    return this.#value.timeZone ?? systemTimeZone()
  }

  /** Another service's setting as stored when the process started; that service parses it. */
  stored(name: string): unknown {
    return this.#stored[name]
  }

  /** Calls `listener` after every change, which waits for it. */
  onChange(listener: () => Promise<void>): void {
    this.#listeners.push(listener)
  }

  /** Concurrent changes are serialized, so that none is lost. */
  update(patch: SettingsUpdate): Promise<SettingsValue> {
    return this.#changes.run(async () => {
      const next = { ...this.#value, ...toSettings(patch) }
      await this.#store.write('putSettings', [{ name: NAME, value: next }])
      this.#value = next
      for (const listener of this.#listeners) await listener()
      return next
    })
  }
}

/** The stored members that are valid. One that this version no longer accepts falls back to its default. */
function parseStored(stored: unknown): SettingsUpdate {
  const schema = SettingsSchema.partial()
  let parsed: SettingsUpdate = {}
  for (const [name, value] of Object.entries(typeof stored === 'object' && stored !== null ? stored : {})) {
    const member = schema.safeParse({ [name]: value })
    if (member.success) parsed = { ...parsed, ...member.data }
  }
  return parsed
}

/** The members that are set. The alert thresholds are sorted, each once. */
function toSettings(patch: SettingsUpdate): Partial<SettingsValue> {
  const set = omitUndefined(patch)
  for (const name of ['notifyAtPercent', 'planNotifyAtPercent'] as const)
    if (set[name]) set[name] = [...new Set(set[name])].sort((a, b) => a - b)
  return set
}

const PAUSED_AT = 'pausedAt'

interface PauseDeps {
  store: Store
  clock: Clock
  /** Called after every change. */
  onChange(): void
}

/** Whether everything is paused: then no request is sent to a model, whatever its key. It survives a restart. */
export class PauseSwitch {
  readonly #deps: PauseDeps
  readonly #writes: RetriedWrites
  #pausedAt: number | null

  /** `stored`: the setting as it was when the process started. */
  constructor(deps: PauseDeps, stored: unknown) {
    this.#deps = deps
    this.#writes = new RetriedWrites(deps.clock)
    this.#pausedAt = typeof stored === 'number' ? stored : null
  }

  static readonly setting = PAUSED_AT

  /** Null while nothing is paused. */
  get pausedAt(): number | null {
    return this.#pausedAt
  }

  /**
   * Takes effect before it is written. Throws 503 when it cannot be written yet; the write is repeated until it succeeds.
   * Pausing again keeps the first time.
   */
  async pause(): Promise<void> {
    if (this.#pausedAt === null) {
      const at = this.#deps.clock.now()
      this.#pausedAt = at
      this.#writes.add(PAUSED_AT, () => this.#put(at))
      this.#deps.onChange()
    }
    await this.#writes.require(PAUSED_AT, 'Everything is paused')
  }

  /** Takes effect once it is written. */
  async resume(): Promise<void> {
    if (this.#pausedAt === null) return
    await this.#put(null)
    this.#writes.drop(PAUSED_AT)
    this.#pausedAt = null
    this.#deps.onChange()
  }

  close(): void {
    this.#writes.close()
  }

  #put(value: number | null): Promise<unknown> {
    return this.#deps.store.write('putSettings', [{ name: PAUSED_AT, value }])
  }
}
