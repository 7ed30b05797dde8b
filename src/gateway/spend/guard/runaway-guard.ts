import { z } from 'zod'
import type { ChatRequest } from '../../../shared/chat.ts'
import type { NanoUsd } from '../../../shared/money.ts'
import type { KeyState } from '../../keys/key-state.ts'
import type { Clock } from '../../platform/clock.ts'
import type { GatewayError } from '../../platform/errors.ts'
import type { EventHub } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Store } from '../../store/store.ts'
import { type Finding, fingerprintOf, KeyWatch, levels } from './key-watch.ts'
import type { StoredHabit } from './spend-habit.ts'

const SETTING = 'spendHabits'
const SAVE_MS = 10 * 60_000
/** Refusals that waiting or another attempt does not change. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([402, 403])
const PAUSED_CODES: ReadonlySet<string | undefined> = new Set(['paused', 'key_paused'])

const StoredHabits = z.record(z.string(), z.array(z.tuple([z.int(), z.number()])))

export interface RunawayGuardDeps {
  store: Store
  clock: Clock
  events: EventHub
  log: Log
  settings: Settings
  /** Pauses the key; what runs may finish. */
  pause(key: KeyState, reason: string): Promise<unknown>
}

/** Pauses keys whose requests look like a loop that runs away. A request costs it the same time and memory however many came. */
export class RunawayGuard {
  readonly #deps: RunawayGuardDeps
  readonly #watches = new Map<string, KeyWatch>()
  /** Of keys that were not used since the start. */
  readonly #stored: Map<string, StoredHabit>
  #savedAt: number

  constructor(deps: RunawayGuardDeps) {
    this.#deps = deps
    this.#savedAt = deps.clock.monotonic()
    const stored = StoredHabits.safeParse(deps.settings.stored(SETTING))
    this.#stored = new Map(Object.entries(stored.data ?? {}))
  }

  /** To be called once a request was charged. `cost`: null if it is not known. */
  charged(key: KeyState, cost: NanoUsd | null, request: ChatRequest): void {
    const { enabled, sensitivity } = this.#deps.settings.value.guard
    if (!enabled || key.guard === 'off' || cost === null || cost <= 0) return
    const now = this.#deps.clock.monotonic()
    const fingerprint = key.guard === 'allow-repeats' ? null : fingerprintOf(request)
    const watch = this.#watchOf(key)
    this.#act(key, watch, watch.charged(now, cost, fingerprint, levels[sensitivity]))
    if (now - this.#savedAt >= SAVE_MS) void this.save()
  }

  /** To be called when a request was refused before it was sent to a provider. */
  refused(key: KeyState, { status, body: { code, type } }: GatewayError): void {
    const { enabled, sensitivity } = this.#deps.settings.value.guard
    if (!enabled || key.guard === 'off' || !FINAL_STATUSES.has(status) || PAUSED_CODES.has(code)) return
    const now = this.#deps.clock.monotonic()
    const watch = this.#watchOf(key)
    this.#act(key, watch, watch.refused(now, code ?? type, levels[sensitivity]))
  }

  /** Stores the habits, so that a restart does not make every key new. */
  async save(): Promise<void> {
    this.#savedAt = this.#deps.clock.monotonic()
    if (this.#watches.size === 0) return
    const learned = [...this.#watches].map(([id, { habit }]) => [id, habit.toStored()] as const)
    const value = Object.fromEntries([...this.#stored, ...learned])
    await this.#deps.store
      .write('putSettings', [{ name: SETTING, value }])
      .catch((err: unknown) => this.#deps.log.warn('The habits of keys could not be stored', { err }))
  }

  #watchOf({ id }: KeyState): KeyWatch {
    let watch = this.#watches.get(id)
    if (!watch) {
      watch = new KeyWatch(this.#stored.get(id))
      this.#watches.set(id, watch)
    }
    return watch
  }

  #act(key: KeyState, watch: KeyWatch, finding: Finding | null): void {
    if (!finding || key.pausedAt !== null || key.revokedAt !== null) return
    const { events, log, pause } = this.#deps
    watch.forgive()
    log.warn(`The runaway guard paused the key "${key.name}". ${finding.reason}`)
    // In memory it is paused at once; the write is repeated until it succeeds.
    pause(key, finding.reason).catch((err: unknown) => log.error('A pause could not be stored yet', { err }))
    events.publish('guard-alert', () => ({
      type: 'guard-alert',
      alert: { keyId: key.id, name: key.name, ...finding },
    }))
  }
}
