import { z } from 'zod'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { Quirks } from '../formats/chat/codec-types.ts'
import { isGiven, isObject, type JsonObject, wholeNumber } from '../formats/json/json.ts'
import { type Clock, getTimers, systemClock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Settings } from '../settings/settings.ts'
import type { Store } from '../store/store.ts'

/** Tokens that are reserved for a stream at least. */
const MIN_OUTPUT = 1_000
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
  /** The tokens of the last answers, by pair. */
  answers: z.array(z.tuple([z.string(), z.array(z.int().nonnegative()).max(REMEMBERED_ANSWERS)])),
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
  likelyOutput(keyId: string, model: string, start = MIN_OUTPUT): number {
    const answers = this.#answers.get(pair(keyId, model)) ?? []
    const sorted = answers.toSorted((a, b) => a - b)
    const percentile95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0
    return Math.max(answers.length < REMEMBERED_ANSWERS ? start : MIN_OUTPUT, percentile95)
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
    const known = this.#factors.get(model)
    const at = this.#clock.now()
    if (ratio > 1) {
      const reached = Math.min(MAX_FACTOR, ratio)
      const grown = known && known.value >= reached ? { ...known, at } : { peak: reached, value: reached, at }
      putLast(this.#factors, model, grown, REMEMBERED_FACTORS)
    } else if (known) {
      // The wall clock may have been set back or forward.
      const ms = Math.min(MAX_STEP_MS, Math.max(0, at - known.at))
      const value = known.value - ((known.peak - 1) * ms) / DECAY_MS
      if (value > 1) this.#factors.set(model, { ...known, value, at })
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

// How much a model is likely to reason before the first text of its answer.

/** Tokens of an answer with its reasoning, by effort. */
const BY_EFFORT: ReadonlyMap<unknown, number> = new Map([
  ['none', MIN_OUTPUT],
  ['minimal', MIN_OUTPUT],
  ['low', 4_000],
  ['medium', 8_000],
  ['high', 20_000],
  ['xhigh', 20_000],
  ['max', 20_000],
])
/** Where no effort is given, or one that is not known here. */
const USUAL = 8_000

/**
 * Whether a model that can reason does, by its default and by what the request asks for. An effort in `output_config` is that of
 * the answer.
 */
export function mayReason(
  sent: JsonObject | ChatRequest,
  { reasoningOffByDefault }: Pick<Quirks, 'reasoningOffByDefault'>,
): boolean {
  if (!reasoningOffByDefault) return true
  if (isOff(sent)) return false
  const asked = [sent.thinking, sent.reasoning_effort, sent.reasoning, sent.thinking_budget]
  return asked.some((value) => isGiven(value) && value !== 'none')
}

/**
 * The likely output tokens of a model that reasons, with the reasoning that its provider may not show. `sent`: a request in any
 * format. A budget for the reasoning counts before an effort.
 */
export function likelyReasoning(sent: JsonObject | ChatRequest): number {
  const [budget] = readBudgets(sent)
  if (budget !== undefined) return budget === 0 ? MIN_OUTPUT : budget + MIN_OUTPUT
  if (isOff(sent)) return MIN_OUTPUT
  const effort = readEfforts(sent).find((value) => typeof value === 'string')
  return BY_EFFORT.get(typeof effort === 'string' ? effort.toLowerCase() : null) ?? USUAL
}

/** Tokens; Gemini's -1 leaves it to the model. */
function readBudgets(sent: JsonObject): number[] {
  const thinking = thinkingConfig(sent)
  return [
    member(sent.thinking, 'budget_tokens'),
    thinking.thinkingBudget ?? thinking.thinking_budget,
    member(sent.reasoning, 'max_tokens'),
    sent.thinking_budget,
  ]
    .map((value) => wholeNumber(value))
    .filter((value) => value !== null)
}

function readEfforts(sent: JsonObject): unknown[] {
  const thinking = thinkingConfig(sent)
  return [
    sent.reasoning_effort,
    member(sent.reasoning, 'effort'),
    member(sent.output_config, 'effort'),
    thinking.thinkingLevel ?? thinking.thinking_level,
  ]
}

function isOff(sent: JsonObject): boolean {
  return (
    member(sent.thinking, 'type') === 'disabled' ||
    member(sent.reasoning, 'enabled') === false ||
    sent.enable_thinking === false
  )
}

function thinkingConfig(sent: JsonObject): JsonObject {
  const config = sent.generationConfig ?? sent.generation_config
  const thinking = member(config, 'thinkingConfig') ?? member(config, 'thinking_config')
  return isObject(thinking) ? thinking : {}
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
