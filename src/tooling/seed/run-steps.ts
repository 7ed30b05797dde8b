// The requests of one run. An agent has one model for its work and a small one on the side; its context grows with every
// step, and most of it is read from the cache. Another program calls one model, sometimes a second.
import type { Random } from '../../gateway/testing/random.ts'
import type { SeedModel } from './models.ts'

export interface Context {
  /** Tokens of the prompt, of which so many are read from the cache, and of the answer. */
  prompt: number
  cached: number
  output: number
}

export interface RunStep {
  model: SeedModel
  /** Null: as any request to the model. */
  context: Context | null
}

type Agent = 'claude' | 'codex'

const AGENT_MODELS = {
  claude: {
    work: [
      { id: 'claude-sonnet-5-5', weight: 3 },
      { id: 'claude-opus-5-5', weight: 1 },
    ],
    side: 'claude-haiku-5-5',
  },
  codex: {
    work: [
      { id: 'gpt-5.3-codex', weight: 3 },
      { id: 'gpt-6.1-sol', weight: 1 },
    ],
    side: 'gpt-5.4-mini',
  },
}

/** The context in which an agent begins: its instructions and tools. Above the last, it summarizes. */
const FIRST_CONTEXT = 11_000
const COMPACT_ABOVE = 120_000
const SUMMARY = 18_000
/** A provider forgets a cached context after so long. */
const CACHE_MS = 5 * 60_000

export class RunSteps {
  readonly #random: Random
  readonly #work: SeedModel
  readonly #side: SeedModel
  readonly #agent: Agent | null
  #context = 0

  constructor(random: Random, models: readonly SeedModel[], agent: Agent | null) {
    this.#random = random
    this.#agent = agent
    const find = (id: string) => {
      const model = models.find(({ offer }) => offer.id === id)
      if (model === undefined) throw new RangeError(`no seeded model is called ${id}`)
      return model
    }
    this.#work = agent === null ? random.pick(models) : find(random.pick(AGENT_MODELS[agent].work).id)
    this.#side = agent === null ? random.pick(models) : find(AGENT_MODELS[agent].side)
  }

  /** The next request of the run, so long after the one before. */
  next(pauseMs: number): RunStep {
    const random = this.#random
    if (this.#agent === null) return { model: random.chance(0.85) ? this.#work : this.#side, context: null }
    if (this.#context > 0 && random.chance(0.07)) return { model: this.#side, context: this.#sideCall() }
    const before = this.#context > COMPACT_ABOVE ? SUMMARY : this.#context
    const added = Math.round(random.logNormal(before === 0 ? 2_400 : 1_300, 0.8))
    const prompt = (before === 0 ? FIRST_CONTEXT : before) + added
    const output = Math.round(random.logNormal(240, 0.9))
    // The instructions are the same in all runs.
    const known = before === 0 || before === SUMMARY || pauseMs > CACHE_MS ? FIRST_CONTEXT : before
    this.#context = prompt + output
    return { model: this.#work, context: { prompt, cached: Math.floor(known / 128) * 128, output } }
  }

  #sideCall(): Context {
    const prompt = Math.round(this.#random.logNormal(900, 0.6))
    return { prompt, cached: 0, output: Math.round(this.#random.logNormal(40, 0.6)) }
  }
}
