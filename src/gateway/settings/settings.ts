import { Settings as SettingsSchema, type SettingsUpdate } from '../../shared/account.ts'
import { systemTimeZone } from '../../shared/calendar.ts'
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
