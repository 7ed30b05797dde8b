// Which rule acts on a request. Pure: it knows neither time nor services.
import { holds } from '../api/conditions.ts'
import type { RequestFacts, StateFacts } from '../api/facts.ts'
import type { StoredRule } from './rule-rows.ts'

/** When a session or sub-agent began, and what was so then. */
export interface RunStart {
  /** Epoch milliseconds; 0 for one that began before there were rules. */
  startedAt: number
  facts: StateFacts | null
}

export interface Decision {
  /** The rule that acts; null for none. */
  acting: StoredRule | null
  /** The rule that would act, if it were not only tried. */
  shadow: StoredRule | null
}

/** `rules`: in their order, without those that are off. */
export function decide(rules: readonly StoredRule[], facts: RequestFacts, start: RunStart): Decision {
  let shadow: StoredRule | null = null
  for (const stored of rules) {
    const { rule, changedAt } = stored
    const isOfStart = rule.at === 'start'
    if (isOfStart && changedAt > start.startedAt) continue
    const state = isOfStart ? start.facts : facts
    if (!state || !rule.when.every((condition) => holds(condition, facts, state))) continue
    if (rule.mode === 'on') return { acting: stored, shadow }
    shadow ??= stored
  }
  return { acting: null, shadow }
}
