// How sessions and sub-agents began, and what rules have done in them since.
import type { Store } from '../../../gateway/store/store.ts'
import type { RequestFacts } from '../api/facts.ts'
import type { RunStart } from './decide.ts'
import { pickState } from './request-facts.ts'
import type { RuleRunPlace } from './rule-rows.ts'

/** Runs that are remembered; that of others is read again. */
const MAX_RUNS = 10_000

export interface Run extends RunStart {
  /** The rules of its last request; null for none. */
  acting: string | null
  shadow: string | null
  /** The model that a rule chose for its last request; null for the requested one. */
  model: string | null
  /** How many items of its conversation another model may have signed. */
  foreignTurns: number
}

export class RuleRuns {
  readonly #store: Store
  readonly #known = new Map<string, Run>()
  readonly #reading = new Map<string, Promise<Run>>()

  constructor(store: Store) {
    this.#store = store
  }

  /** The run of a request, whose facts are those of its start if it begins. A side call is a run by itself. */
  find(place: RuleRunPlace, facts: RequestFacts, now: number): Run | Promise<Run> {
    if (facts.caller === 'side') return begin(facts, now)
    const name = `${place.session} ${place.agent}`
    const known = this.#known.get(name)
    if (known) return known
    const reading = this.#reading.get(name)
    if (reading) return reading
    const read = this.#read(place, name, facts, now).finally(() => this.#reading.delete(name))
    this.#reading.set(name, read)
    return read
  }

  async #read(place: RuleRunPlace, name: string, facts: RequestFacts, now: number): Promise<Run> {
    const { run: stored, hasBegun } = await this.#store.read('readRuleRun', place)
    const run = stored ? resume(stored) : hasBegun ? resume({ startedAt: 0, facts: null }) : begin(facts, now)
    if (!stored && run.facts)
      await this.#store.writeSoon('putRuleRun', { ...place, startedAt: run.startedAt, facts: run.facts })
    if (this.#known.size >= MAX_RUNS) this.#forgetOldest()
    this.#known.set(name, run)
    return run
  }

  #forgetOldest(): void {
    for (const name of this.#known.keys()) {
      if (this.#known.size <= MAX_RUNS / 2) return
      this.#known.delete(name)
    }
  }
}

function begin(facts: RequestFacts, now: number): Run {
  return { ...resume({ startedAt: now, facts: pickState(facts) }), foreignTurns: 0 }
}

/** Who signed the turns of a run that goes on after a restart is not known. */
function resume({ startedAt, facts }: RunStart): Run {
  return { startedAt, facts, acting: null, shadow: null, model: null, foreignTurns: 0 }
}
