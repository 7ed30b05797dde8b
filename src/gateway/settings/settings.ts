import { Settings as SettingsSchema, type SettingsUpdate } from '../../shared/api/account.ts'
import { systemTimeZone } from '../../shared/values/calendar.ts'
import type { Clock } from '../platform/clock.ts'
import { serverError } from '../platform/errors.ts'
import { RetriedWrites } from '../platform/retried-writes.ts'
import { SerialQueue } from '../platform/wait.ts'
import type { Store } from '../store/store.ts'

type SettingsValue = ReturnType<typeof SettingsSchema.parse>

const DEFAULTS: SettingsValue = {
  allowedOrigins: [],
  containerAccess: false,
  storeBodies: false,
  storeBodiesUntil: null,
  retentionDays: 90,
  maxLogMb: 1024,
  timeZone: null,
  planLimits: {},
  durability: 'standard',
  strictLimits: false,
  notifyAtPercent: [50, 80, 100],
  guard: { enabled: true, sensitivity: 'standard' },
  network: 'direct',
  subscriptions: [],
}
const NAME = 'settings'

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
function toSettings({ notifyAtPercent, ...patch }: SettingsUpdate): Partial<SettingsValue> {
  const set: Partial<SettingsValue> = Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  )
  if (notifyAtPercent === undefined) return set
  return { ...set, notifyAtPercent: [...new Set(notifyAtPercent)].sort((a, b) => a - b) }
}

const PAUSED_AT = 'pausedAt'

/** Whether everything is paused: then no request is sent to a model, whatever its key. It survives a restart. */
export class PauseSwitch {
  readonly #store: Store
  readonly #clock: Clock
  readonly #writes: RetriedWrites
  #pausedAt: number | null
  readonly #onChange: () => void

  /** `stored`: the setting as it was when the process started. `onChange` is called after every change. */
  constructor(store: Store, clock: Clock, stored: unknown, onChange: () => void) {
    this.#onChange = onChange
    this.#store = store
    this.#clock = clock
    this.#writes = new RetriedWrites(clock)
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
      const at = this.#clock.now()
      this.#pausedAt = at
      this.#writes.add(PAUSED_AT, () => this.#put(at))
      this.#onChange()
    }
    if (!(await this.#writes.write(PAUSED_AT))) {
      throw serverError(
        'Everything is paused from now on, but that cannot be stored yet (is the disk full?) and would be lost at a restart. Free some space: Tollgate keeps retrying.',
        503,
        'ledger_unavailable',
      )
    }
  }

  /** Takes effect once it is written. */
  async resume(): Promise<void> {
    if (this.#pausedAt === null) return
    await this.#put(null)
    this.#writes.drop(PAUSED_AT)
    this.#pausedAt = null
    this.#onChange()
  }

  close(): void {
    this.#writes.close()
  }

  #put(value: number | null): Promise<unknown> {
    return this.#store.write('putSettings', [{ name: PAUSED_AT, value }])
  }
}
