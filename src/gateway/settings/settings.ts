// Owns the gateway's settings in memory and their defaults. Knows nothing of what they change.
import { Settings as SettingsSchema, type SettingsUpdate } from '../../shared/account.ts'
import { systemTimeZone } from '../../shared/calendar.ts'
import { SerialQueue } from '../platform/serial-queue.ts'
import type { Store } from '../store/store.ts'

type SettingsValue = ReturnType<typeof SettingsSchema.parse>

const DEFAULTS: SettingsValue = {
  allowedOrigins: [],
  storeBodies: false,
  retentionDays: 90,
  maxLogMb: 1024,
  timeZone: null,
  planLimits: {},
  notifyAtPercent: [50, 80, 100],
}
const NAME = 'settings'

export class Settings {
  readonly #store: Store
  readonly #stored: Readonly<Record<string, unknown>>
  readonly #changes = new SerialQueue()
  #value: SettingsValue

  constructor(store: Store, stored: Readonly<Record<string, unknown>>) {
    this.#store = store
    this.#stored = stored
    this.#value = { ...DEFAULTS, ...kept(readable(stored[NAME])) }
  }

  get value(): Readonly<SettingsValue> {
    return this.#value
  }

  /** The zone that decides days and months: the user's choice, else the operating system's. */
  get timeZone(): string {
    return this.#value.timeZone ?? systemTimeZone()
  }

  /** Another service's setting as it was stored at start; that service parses it. */
  stored(name: string): unknown {
    return this.#stored[name]
  }

  /** Two changes at once are both kept: each is made on what the one before has left. */
  update(patch: SettingsUpdate): Promise<SettingsValue> {
    return this.#changes.run(async () => {
      const next = { ...this.#value, ...kept(patch) }
      await this.#store.write('putSettings', [{ name: NAME, value: next }])
      this.#value = next
      return next
    })
  }
}

/** What is stored, but for members that an earlier version took and this one does not: only those fall back. */
function readable(stored: unknown): SettingsUpdate {
  const schema = SettingsSchema.partial()
  let readable: SettingsUpdate = {}
  for (const [name, value] of Object.entries(typeof stored === 'object' && stored !== null ? stored : {})) {
    const member = schema.safeParse({ [name]: value })
    if (member.success) readable = { ...readable, ...member.data }
  }
  return readable
}

/** The members that are set, in the form in which they are kept: shares ascend, each once. */
function kept({ notifyAtPercent, ...patch }: SettingsUpdate): Partial<SettingsValue> {
  const set: Partial<SettingsValue> = Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  )
  if (notifyAtPercent === undefined) return set
  return { ...set, notifyAtPercent: [...new Set(notifyAtPercent)].sort((a, b) => a - b) }
}
