// Tells the owner, 30, 7 and 1 days before, that a vendor retires a model which was used in the last 14 days, and by whom.
import { z } from 'zod'
import type { Feature } from '../../../gateway/http/calls.ts'
import type { Catalog } from '../../../gateway/models/catalog/catalog.ts'
import type { UsageSums } from '../../../gateway/observe/request-log/usage-sums.ts'
import { getTimers } from '../../../gateway/platform/clock.ts'
import type { CommonServices } from '../../../gateway/settings/settings.ts'
import type { Usage } from '../../../shared/api/usage.ts'

const SETTING = 'retirementNotices'
const HOUR_MS = 3_600_000
/** After the start, which it must not slow down. */
const FIRST_MS = 90_000
const DAY_MS = 24 * HOUR_MS
/** Days before the retirement, the shortest first. */
const STAGES = [1, 7, 30]
const USED_DAYS = 14
const MOST_NAMES = 10

interface RetirementNotice {
  model: string
  /** Epoch milliseconds. */
  retiresAt: number
  /** Who used it: `Keys: CI, Laptop. Agents: Codex. Rules: Nights.` */
  users: string
}

interface RetirementsDeps extends Omit<CommonServices, 'events'> {
  catalog: Pick<Catalog, 'knows' | 'get'>
  usage: Pick<UsageSums, 'read'>
  /** The names of rules that have the model serve. */
  listRules(model: string): Promise<string[]>
  announce(notice: RetirementNotice): void
}

/** The last stage that was announced, by model and day. */
const Announced = z.record(z.string(), z.number())

class RetirementNotices {
  readonly #deps: RetirementsDeps
  #announced: z.infer<typeof Announced>
  #timer: NodeJS.Timeout | null = null

  constructor(deps: RetirementsDeps) {
    this.#deps = deps
    this.#announced = Announced.catch({}).parse(deps.settings.stored(SETTING))
    this.#schedule(FIRST_MS)
  }

  close(): void {
    getTimers(this.#deps.clock).clear(this.#timer)
  }

  #schedule(ms: number): void {
    const { clock, log } = this.#deps
    this.#timer = getTimers(clock).setTimeout(() => {
      this.#schedule(HOUR_MS)
      this.#announce().catch((err: unknown) =>
        log.warn('Retirements of models could not be looked up', { err }),
      )
    }, ms)
    this.#timer.unref()
  }

  async #announce(): Promise<void> {
    const { clock, usage, catalog, listRules, announce, store } = this.#deps
    const now = clock.now()
    const from = new Date(now - USED_DAYS * DAY_MS).toISOString()
    const { data } = await usage.read({ groupBy: 'model', from })
    for (const { group: model } of data) {
      const retirement = catalog.knows(model) ? catalog.get(model).retirement : null
      const stage = retirement && findStage(retirement.on, now)
      if (!retirement || stage === null) continue
      const name = `${model} ${retirement.on}`
      if (stage >= (this.#announced[name] ?? Infinity)) continue
      const [keys, agents, rules] = await Promise.all([
        usage.read({ groupBy: 'key', model, from }),
        usage.read({ groupBy: 'client', model, from }),
        listRules(model),
      ])
      const users = [
        listNames('Keys', readLabels(keys)),
        listNames('Agents', readLabels(agents)),
        listNames('Rules', rules),
      ].join('')
      announce({ model, retiresAt: Date.parse(retirement.on), users: users.trimEnd() })
      this.#announced = { ...this.#announced, [name]: stage }
      await store.write('putSettings', [{ name: SETTING, value: this.#announced }])
    }
  }
}

/** The shortest stage that has begun; null before all of them, and from the day of the retirement on. */
function findStage(on: string, now: number): number | null {
  const days = Math.ceil((Date.parse(on) - now) / DAY_MS)
  return days < 1 ? null : (STAGES.find((stage) => days <= stage) ?? null)
}

function readLabels({ data }: Usage): string[] {
  return data.flatMap(({ group, label }) => (group === '' ? [] : [label]))
}

/** `Keys: CI, Laptop. `; empty without any. */
function listNames(title: string, names: readonly string[]): string {
  if (names.length === 0) return ''
  const more = names.length - MOST_NAMES
  return `${title}: ${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}. `
}

export function createRetirements(deps: RetirementsDeps): Feature {
  const notices = new RetirementNotices(deps)
  return { close: () => notices.close() }
}
