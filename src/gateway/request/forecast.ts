import { z } from 'zod'
import { ANSWER_TOKENS } from '../formats/chat/reasoning-effort.ts'
import { type Clock, getTimers, systemClock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Settings } from '../settings/settings.ts'
import type { Store } from '../store/store.ts'

/** The answers of which the 95th percentile counts. With fewer, what is likely at the start is a minimum. */
const REMEMBERED_ANSWERS = 20
const REMEMBERED_PAIRS = 2_000
const REMEMBERED_FACTORS = 1_000
const MAX_FACTOR = 100
const HOUR_MS = 3_600_000
/** After so long with honest answers, a factor is 1 again. */
const DECAY_MS = 24 * HOUR_MS
/** The longest time that one answer can vouch for since the one before. */
const MAX_STEP_MS = HOUR_MS

const SETTING = 'forecast'
const SAVE_MS = 3 * 60_000

const StoredFactor = z.object({ peak: z.number(), value: z.number(), at: z.number() })
const StoredForecast = z.object({
  /** The tokens of the last answers, by pair; none from an earlier version, which stored quantiles. */
  answers: z.array(z.tuple([z.string(), z.array(z.int().nonnegative()).max(REMEMBERED_ANSWERS)])).catch([]),
  factors: z.array(z.tuple([z.string(), StoredFactor])),
})

export interface Observation {
  keyId: string
  model: string
  tokensOut: number
  costNano: number
  /** The highest expected cost without the learned factor. */
  baseNano: number
}

export interface ForecastDeps {
  store: Pick<Store, 'write'>
  settings: Pick<Settings, 'stored'>
  clock: Clock
  log: Pick<Log, 'warn'>
}

/** How far the usage of a model exceeds its usual bound. */
type Factor = z.infer<typeof StoredFactor>

/**
 * Learns from earlier requests what to reserve for the next: how long answers usually are, and how far usage has exceeded
 * its reservation. With `deps`, it is stored some minutes after a change; without, it is in memory only.
 */
export class Forecast {
  readonly #deps: ForecastDeps | null
  readonly #clock: Clock
  /** The output tokens of the last answers by key and model; the most recently used pair is last. */
  readonly #answers = new Map<string, readonly number[]>()
  readonly #factors = new Map<string, Factor>()
  /** Set while there are changes to store. */
  #saving: NodeJS.Timeout | null = null

  constructor(deps: ForecastDeps | null = null) {
    this.#deps = deps
    this.#clock = deps?.clock ?? systemClock
    const { data } = StoredForecast.safeParse(deps?.settings.stored(SETTING))
    for (const [key, answers] of data?.answers ?? []) this.#answers.set(key, answers)
    for (const [model, factor] of data?.factors ?? []) this.#factors.set(model, factor)
  }

  /**
   * Output tokens to reserve for a stream at its start: the 95th percentile of such answers, and 1,000 at least. `start`: what
   * is likely before there are enough answers.
   */
  likelyOutput(keyId: string, model: string, start = ANSWER_TOKENS): number {
    const answers = this.#answers.get(pair(keyId, model)) ?? []
    const sorted = answers.toSorted((a, b) => a - b)
    const percentile95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0
    return Math.max(answers.length < REMEMBERED_ANSWERS ? start : ANSWER_TOKENS, percentile95)
  }

  /** The factor for the usual bound of this model; 1 unless usage has exceeded it. */
  factor(model: string): number {
    return this.#factors.get(model)?.value ?? 1
  }

  /** Learns from a request whose usage the provider has reported. */
  observe({ keyId, model, tokensOut, costNano, baseNano }: Observation): void {
    const key = pair(keyId, model)
    const answers = [...(this.#answers.get(key) ?? []), tokensOut].slice(-REMEMBERED_ANSWERS)
    putLast(this.#answers, key, answers, REMEMBERED_PAIRS)
    if (baseNano > 0) this.#learnFactor(model, costNano / baseNano)
    this.#saveLater()
  }

  /** Stores what was learned since it was last stored. */
  async save(): Promise<void> {
    if (!this.#deps || this.#saving === null) return
    const { store, log } = this.#deps
    getTimers(this.#clock).clear(this.#saving)
    this.#saving = null
    const value = { answers: [...this.#answers], factors: [...this.#factors] }
    await store
      .write('putSettings', [{ name: SETTING, value }])
      .catch((err: unknown) =>
        log.warn('What was learned about the length of answers could not be stored', { err }),
      )
  }

  /** `ratio`: the cost as a multiple of the usual bound. The excess of a peak is gone after a day of honest answers. */
  #learnFactor(model: string, ratio: number): void {
    const knownFactor = this.#factors.get(model)
    const at = this.#clock.now()
    if (ratio > 1) {
      const reached = Math.min(MAX_FACTOR, ratio)
      const grown =
        knownFactor && knownFactor.value >= reached
          ? { ...knownFactor, at }
          : { peak: reached, value: reached, at }
      putLast(this.#factors, model, grown, REMEMBERED_FACTORS)
    } else if (knownFactor) {
      // The wall clock may have been set back or forward.
      const ms = Math.min(MAX_STEP_MS, Math.max(0, at - knownFactor.at))
      const value = knownFactor.value - ((knownFactor.peak - 1) * ms) / DECAY_MS
      if (value > 1) this.#factors.set(model, { ...knownFactor, value, at })
      else this.#factors.delete(model)
    }
  }

  #saveLater(): void {
    if (!this.#deps || this.#saving !== null) return
    this.#saving = getTimers(this.#clock)
      .setTimeout(() => void this.save(), SAVE_MS)
      .unref()
  }
}

/** Sets an entry as the last one, and removes the first one where there are more than `most`. */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [first] = map.keys()
  if (map.size > most && first !== undefined) map.delete(first)
}

function pair(keyId: string, model: string): string {
  return `${keyId} ${model}`
}
