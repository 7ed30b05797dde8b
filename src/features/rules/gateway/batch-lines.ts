// Rules on the lines of batches, which are judged when they are read: a batch is a session of its own, which begins with them.
import { setMember } from '../../../gateway/formats/json/edit-json.ts'
import { GatewayError } from '../../../gateway/platform/errors.ts'
import type { LineChange, LineOrRequest } from '../../../gateway/request/run.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import { decide } from './decide.ts'
import {
  asks,
  computeEffect,
  countTurns,
  createRefusal,
  describeMissingPermission,
  describeSent,
  type Effect,
  listAskedPremiums,
} from './effect.ts'
import { createFacts, type FactsDeps, pickState } from './request-facts.ts'
import type { RuleBook } from './rule-book.ts'
import type { StoredEffect, StoredRule } from './rule-rows.ts'

/** What the rules do to a line; null for nothing. `rules`: those that are not off. Throws 403 where one denies it. */
export function applyToLine(
  line: LineOrRequest,
  rules: readonly StoredRule[],
  deps: FactsDeps,
  book: RuleBook,
): LineChange | null {
  const facts = createFacts(line, deps)
  const { acting, shadow } = decide(rules, facts, { startedAt: line.createdAt, facts: pickState(facts) })
  if (!acting && !shadow) return null
  const { promptTokens } = facts
  const foreignTurns = countTurns(describeSent(line.call).json)
  const compute = ({ rule }: StoredRule): Effect =>
    computeEffect(rule, { arrival: line, promptTokens, foreignTurns })
  const effect = acting && compute(acting)
  if (acting && effect?.isDenied)
    throw createRefusal(book.getName(acting), line, listAskedPremiums(acting.rule))
  // A batch is created in one call, which cannot wait for its lines.
  if (acting && asks(acting)) throw refuseToWait(book.getName(acting), line)
  const describe = (
    stored: StoredRule,
    { changes, unable }: Pick<Effect, 'changes' | 'unable'>,
  ): StoredEffect => ({
    ruleId: stored.id,
    ruleName: book.getName(stored),
    shadow: stored === shadow,
    changes,
    answer: null,
    unable,
    savedNano: null,
    rewriteNano: null,
  })
  const shadowed = shadow ? [describe(shadow, compute(shadow))] : []
  const changed = effect && change(effect)
  return {
    offer: effect?.offers[0] ?? null,
    native: changed?.native ?? null,
    describe: (unable) => {
      if (!acting || !effect) return { rules: shadowed }
      const problem = changed?.problem ?? unable
      const result = problem === null ? effect : { changes: [], unable: problem }
      return { rules: [describe(acting, result), ...shadowed] }
    },
  }
}

function refuseToWait(name: string, line: LineOrRequest): GatewayError {
  const message = `The rule "${name}" needs permission, for which a batch cannot wait. Send its lines as single requests, or change the rule in Tollgate under Settings → Rules.`
  return new GatewayError({ ...describeMissingPermission(name, line), message })
}

/** The request as the rule changes it, or why that cannot be done. */
function change({ apply, offers: [offer] }: Effect): {
  native: LineChange['native']
  problem: string | null
} {
  try {
    const call = apply?.()
    if (call?.mode.kind !== 'native') return { native: null, problem: null }
    const native = call.instead?.native ?? call.mode.native
    if (!offer) return { native, problem: null }
    const body = setMember(native.body, ['model'], offer.id)
    return { native: { ...native, body, json: { ...native.json, model: offer.id } }, problem: null }
  } catch (error) {
    return { native: null, problem: errorMessage(error) }
  }
}
