// Rules in requests to models: they are tried before a request is admitted, and what they did is recorded with its settlement.
// Loaded with the first request after there is a rule that is not off.
import type { GatewayError } from '../../../gateway/platform/errors.ts'
import type { Log } from '../../../gateway/platform/log.ts'
import type { FinalOutcome } from '../../../gateway/request/ledger.ts'
import type { Arrival, Run } from '../../../gateway/request/run.ts'
import type { Call, Store } from '../../../gateway/store/store.ts'
import type { RequestFacts } from '../api/facts.ts'
import { decide } from './decide.ts'
import {
  computeEffect,
  countTurns,
  createRefusal,
  describeSent,
  type Effect,
  listAskedPremiums,
  withoutForeign,
} from './effect.ts'
import { createFacts, type FactsDeps, pickState, pickStored } from './request-facts.ts'
import type { RuleBook } from './rule-book.ts'
import type { StoredEffect, StoredRule } from './rule-rows.ts'
import { type Run as RuleRun, RuleRuns } from './rule-runs.ts'
import { type CostedRequest, computeSaved, computeSaving, type Saving } from './saving.ts'

interface Ruling {
  rule: StoredRule
  effect: Effect
  /** Whether the request before it in its run was not under this rule. */
  isFirst: boolean
  /** Whether its conversation goes on with another model. */
  isSwitched: boolean
}

interface Ruled {
  facts: RequestFacts
  acting: Ruling | null
  shadow: Ruling | null
}

export interface HookDeps extends FactsDeps {
  store: Store
  log: Log
}

export class RuleHook {
  readonly #deps: HookDeps
  readonly #book: RuleBook
  readonly #runs: RuleRuns
  readonly #ruled = new WeakMap<Arrival, Ruled>()

  constructor(deps: HookDeps, book: RuleBook) {
    this.#deps = deps
    this.#book = book
    this.#runs = new RuleRuns(deps.store)
  }

  /** Throws 403 where a rule says `deny`, and nothing else. `rules`: those that are not off. */
  async before(arrival: Arrival, rules: readonly StoredRule[]): Promise<void> {
    const { call } = arrival
    let refusal: GatewayError | null = null
    try {
      refusal = await this.#try(arrival, rules)
    } catch (error) {
      // A request that rules cannot judge, or that does not allow what they change, is served as it was asked.
      arrival.call = call
      this.#deps.log.error('The rules could not be tried', { requestId: call.requestId, err: error })
    }
    if (refusal) throw refusal
  }

  /** Returns the refusal of a rule. */
  async #try(arrival: Arrival, rules: readonly StoredRule[]): Promise<GatewayError | null> {
    const { call, deps, place, createdAt } = arrival
    await deps.spendLimits.readSession({ key: call.key, ...place })
    const facts = createFacts(arrival, this.#deps)
    // They are recorded with the settlement, as they are now.
    pickState(facts)
    const agent = place.agentId ?? ''
    const run = await this.#runs.find({ session: call.session.id, agent }, facts, createdAt)
    const decision = decide(rules, facts, run)
    const shadow = decision.shadow && {
      rule: decision.shadow,
      effect: computeEffect(decision.shadow.rule, {
        arrival,
        promptTokens: facts.promptTokens,
        foreignTurns: 0,
      }),
      isFirst: run.shadow !== decision.shadow.id,
      isSwitched: false,
    }
    const acting = this.#act(findActing(decision.acting, run, call, rules), run, arrival, facts)
    run.shadow = shadow?.rule.id ?? null
    const ruled: Ruled = { facts, acting, shadow }
    this.#ruled.set(arrival, ruled)
    return acting?.effect.isDenied ? this.#deny(ruled, acting, arrival) : null
  }

  /** Puts the rule into effect; null for none. What another model has signed is not sent to the one that serves. */
  #act(stored: StoredRule | null, run: RuleRun, arrival: Arrival, facts: RequestFacts): Ruling | null {
    const turns = countTurns(describeSent(arrival.call).json)
    const actions = stored?.rule.do ?? []
    const mayMove = run.acting === stored?.id || !endsWithResult(arrival.call)
    const allowed = mayMove ? actions : actions.filter(({ kind }) => kind !== 'model')
    const wanted = findModel(allowed)
    const foreignTurns = wanted !== run.model && turns > 1 ? turns : run.foreignTurns
    const effect = computeEffect({ do: allowed }, { arrival, promptTokens: facts.promptTokens, foreignTurns })
    const served = effect.offers.length > 0 ? wanted : null
    const isSwitched = served !== run.model && turns > 1
    if (isSwitched) run.foreignTurns = turns
    run.model = served
    if (effect.apply) arrival.call = { ...arrival.call, ...effect.apply(), ruled: true }
    if (served === null) arrival.call = { ...arrival.call, ...withoutForeign(arrival.call, run.foreignTurns) }
    const isFirst = run.acting !== stored?.id
    run.acting = stored?.id ?? null
    if (!stored) return null
    if (effect.apply) arrival.headers['x-tollgate-rule'] = this.#book.getName(stored)
    return { rule: stored, effect, isFirst, isSwitched }
  }

  #deny({ facts }: Ruled, { rule }: Ruling, arrival: Arrival): GatewayError {
    const { requestId, session, request } = arrival.call
    const changes = [{ field: 'request', asked: request.model, sent: null }]
    const effect = this.#describe(rule, { changes, unable: null }, false, null)
    arrival.fields = { ...arrival.fields, rules: [effect] }
    const row = { requestId, createdAt: arrival.createdAt, session: session.id, askedModel: request.model }
    this.#deps.store
      .writeSoon('putRuled', { ...row, facts: pickStored(facts), effects: [effect] })
      .catch((err: unknown) => this.#deps.log.warn('What a rule refused could not be recorded', { err }))
    return createRefusal(this.#book.getName(rule), arrival, listAskedPremiums(rule.rule))
  }

  /** Another model than the rule's may have served in the end. */
  answered({ arrival, calling }: Run): void {
    const offers = arrival.call.instead?.offers
    if (offers && !offers.includes(calling.offer)) delete arrival.headers['x-tollgate-rule']
  }

  keep(run: Run, outcome: FinalOutcome): readonly Call[] | undefined {
    const ruled = this.#ruled.get(run.arrival)
    if (!ruled) return
    const { requestId, session, request } = run.call
    const createdAt = run.entry.request.createdAt
    const costed = describeCost(outcome)
    const describe = (ruling: Ruling | null, isShadow: boolean): StoredEffect[] => {
      if (!ruling) return []
      const outcome = findOutcome(ruling.effect, isShadow, run)
      const saving = costed && this.#computeSaving(ruling, isShadow, costed, run)
      return [this.#describe(ruling.rule, outcome, isShadow, saving)]
    }
    const effects = [...describe(ruled.acting, false), ...describe(ruled.shadow, true)]
    const row = { requestId, createdAt, session: session.id, askedModel: request.model }
    return [['putRuled', { ...row, facts: pickStored(ruled.facts), effects }]]
  }

  #describe(
    stored: StoredRule,
    { changes, unable }: Pick<Effect, 'changes' | 'unable'>,
    shadow: boolean,
    saving: Saving | null,
  ): StoredEffect {
    const { savedNano = null, rewriteNano = null } = saving ?? {}
    return {
      ruleId: stored.id,
      ruleName: this.#book.getName(stored),
      shadow,
      changes,
      unable,
      savedNano,
      rewriteNano,
    }
  }

  #computeSaving(
    { effect, isFirst, isSwitched }: Ruling,
    isShadow: boolean,
    costed: CostedRequest,
    run: Run,
  ): Saving | null {
    const { premiums, offers, isDenied } = effect
    if (isDenied) return { savedNano: costed.costNano, rewriteNano: 0 }
    const isMoved = offers.length > 0
    if (isShadow) {
      const price = offers[0]?.price ?? null
      return isMoved && !price ? null : computeSaving(costed, { price, premiums }, isFirst)
    }
    if (!isMoved)
      return computeSaved(costed, { price: null, premiums }, { tier: findTier(effect), isSwitched: false })
    const asked = run.candidates.find(({ offer }) => !offers.includes(offer))?.offer ?? findAsked(run)
    if (!asked?.price) return null
    return computeSaved(costed, { price: asked.price, premiums }, { tier: findTier(effect), isSwitched })
  }
}

/** The rule that acts. While tools of a turn run, it is the one that acted before, so that a turn has one model. */
function findActing(
  decided: StoredRule | null,
  run: RuleRun,
  call: Arrival['call'],
  rules: readonly StoredRule[],
): StoredRule | null {
  if (run.acting === null || decided?.id === run.acting || !endsWithResult(call)) return decided
  return rules.find(({ id, rule }) => id === run.acting && rule.mode === 'on') ?? decided
}

function findModel(actions: StoredRule['rule']['do']): string | null {
  const action = actions.find(({ kind }) => kind === 'model')
  return action?.kind === 'model' ? action.model : null
}

function findAsked({ deps, call }: Run) {
  return deps.catalog.knows(call.request.model) ? deps.catalog.route(call.request.model).offers[0] : undefined
}

/** The requested tier, if it has a price. */
function findTier({ premiums }: Effect): string | undefined {
  if (premiums.includes('speed')) return 'fast'
  return premiums.includes('tier') ? 'priority' : undefined
}

function findOutcome(
  { changes, unable, offers }: Effect,
  isShadow: boolean,
  run: Run,
): Pick<Effect, 'changes' | 'unable'> {
  const isServed =
    isShadow || offers.length === 0 || (run.serving !== null && offers.includes(run.serving.offer))
  if (isServed) return { changes, unable }
  return {
    changes: changes.filter(({ field }) => field !== 'model'),
    unable: 'The other model did not answer.',
  }
}

function endsWithResult({ request: { messages } }: Pick<Arrival['call'], 'request'>): boolean {
  return messages.at(-1)?.role === 'tool'
}

function describeCost({ charge }: FinalOutcome): CostedRequest | null {
  const { usage, tokensIn, costNano, price } = charge
  if (!usage || costNano === null || !price) return null
  const { pricing, tier, discountPercent } = price
  return { usage, tokensIn, costNano, tier, pricing, discountPercent }
}
