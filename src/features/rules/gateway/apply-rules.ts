// Rules in requests to models: they are tried before a request is admitted, and what they did is recorded with its settlement.
// Loaded with the first request after there is a rule that is not off.
import { GatewayError } from '../../../gateway/platform/errors.ts'
import type { FinalOutcome } from '../../../gateway/request/ledger.ts'
import { type Arrival, PermissionNeeded, type Run } from '../../../gateway/request/run.ts'
import type { Call } from '../../../gateway/store/store.ts'
import type { RequestFacts } from '../api/facts.ts'
import type { RuleAnswer } from '../api/terms.ts'
import { decide } from './decide.ts'
import {
  asks,
  computeEffect,
  countTurns,
  createRefusal,
  DENIED,
  describeDenial,
  describeMissingPermission,
  describeSent,
  type Effect,
  listAskedPremiums,
  NOTHING,
  RULE_HEADER,
  withoutForeign,
} from './effect.ts'
import { createFacts, type FactsDeps, pickState, pickStored } from './request-facts.ts'
import type { RuleBook } from './rule-book.ts'
import { type QuestionDeps, type RuleQuestion, RuleQuestions } from './rule-questions.ts'
import type { RuleRunPlace, StoredEffect, StoredRule } from './rule-rows.ts'
import { type Run as RuleRun, RuleRuns } from './rule-runs.ts'
import { type CostedRequest, computeSaved, computeSaving, type Saving } from './saving.ts'

interface Ruling {
  rule: StoredRule
  effect: Effect
  /** Whether the request before it in its run was not under this rule. */
  isFirst: boolean
  /** Whether its conversation goes on with another model. */
  isSwitched: boolean
  /** What the owner is asked; null for a rule that does not ask. */
  question: RuleQuestion | null
  /** Whether the request itself has waited for the answer. */
  isAsked: boolean
}

interface Ruled {
  facts: RequestFacts
  acting: Ruling | null
  shadow: Ruling | null
}

export interface HookDeps extends FactsDeps, QuestionDeps {}

export class RuleHook {
  readonly #deps: HookDeps
  readonly #book: RuleBook
  readonly #runs: RuleRuns
  readonly #questions: RuleQuestions
  readonly #ruled = new WeakMap<Arrival, Ruled>()

  constructor(deps: HookDeps, book: RuleBook) {
    this.#deps = deps
    this.#book = book
    this.#runs = new RuleRuns(deps.store)
    this.#questions = new RuleQuestions(deps, book)
  }

  /** Throws 403 where a rule says `deny`, and nothing else. One that asks does so at the admission. `rules`: those that are not off. */
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
    const at = { session: call.session.id, agent: place.agentId ?? '' }
    const run = await this.#runs.find(at, facts, createdAt)
    const decision = decide(rules, facts, run)
    const shadow = decision.shadow && {
      ...createRuling(decision.shadow),
      effect: computeEffect(decision.shadow.rule, {
        arrival,
        promptTokens: facts.promptTokens,
        foreignTurns: 0,
      }),
      isFirst: run.shadow !== decision.shadow.id,
    }
    const acting = this.#act(findActing(decision.acting, run, call, rules), run, arrival, facts)
    run.shadow = shadow?.rule.id ?? null
    const ruled: Ruled = { facts, acting, shadow }
    this.#ruled.set(arrival, ruled)
    if (acting?.effect.isDenied) return this.#refuse(acting, arrival)
    if (acting && asks(acting.rule)) {
      const choose = () => {
        const active = this.#book.active ?? []
        return findActing(decide(active, facts, run).acting, run, call, active)
      }
      arrival.requirePermission = () => this.#requirePermission(choose(), at, arrival, ruled)
    }
    if (shadow && asks(shadow.rule) && !(await this.#wouldAsk(shadow, at, createdAt))) ruled.shadow = null
    return null
  }

  /** Whether the request is the first of its run about which the rule would have asked. */
  async #wouldAsk(shadow: Ruling, at: RuleRunPlace, now: number): Promise<boolean> {
    shadow.question = await this.#questions.find(shadow.rule, at, now)
    const isFirst = shadow.question.isAllowed === null
    if (isFirst) shadow.question.answer(true)
    return isFirst
  }

  /**
   * Rejects as long as the owner has not allowed the run. `stored`: the rule that acts now, which may have been changed while the
   * request waited; then the request goes on as it was asked, unless that rule refuses it.
   */
  async #requirePermission(
    stored: StoredRule | null,
    at: RuleRunPlace,
    arrival: Arrival,
    ruled: Ruled,
  ): Promise<void> {
    const isAsked = ruled.acting?.isAsked ?? false
    ruled.acting = null
    if (!stored) return
    const acting = { ...createRuling(stored), isAsked }
    if (asks(stored)) acting.question = await this.#questions.find(stored, at, arrival.createdAt)
    else if (!acting.effect.isDenied) return
    ruled.acting = acting
    const { question } = acting
    if (question === null) throw this.#refuse(acting, arrival)
    const name = this.#book.getName(stored)
    if (question.isAllowed === true) {
      arrival.headers[RULE_HEADER] = name
      return
    }
    const refusal = describeMissingPermission(name, arrival)
    if (question.isAllowed === false) throw new GatewayError(refusal)
    acting.isAsked = true
    throw new PermissionNeeded(refusal, question)
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
    if (effect.apply) arrival.headers[RULE_HEADER] = this.#book.getName(stored)
    return { ...createRuling(stored), effect, isFirst, isSwitched }
  }

  #refuse({ rule }: Ruling, arrival: Arrival): GatewayError {
    return createRefusal(this.#book.getName(rule), arrival, listAskedPremiums(rule.rule))
  }

  /** Records what a rule has refused. */
  refused(arrival: Arrival, { body }: GatewayError): void {
    const { facts, acting } = this.#ruled.get(arrival) ?? {}
    if (!facts || !acting || body.code !== DENIED) return
    const { requestId, session, request } = arrival.call
    const changes = describeDenial(arrival.call)
    const effect = this.#describe(acting, { changes, unable: null }, false, null)
    arrival.fields = { ...arrival.fields, rules: [effect] }
    const row = { requestId, createdAt: arrival.createdAt, session: session.id, askedModel: request.model }
    this.#deps.store
      .writeSoon('putRuled', { ...row, facts: pickStored(facts), effects: [effect] })
      .catch((err: unknown) => this.#deps.log.warn('What a rule refused could not be recorded', { err }))
  }

  /** Another model than the rule's may have served in the end. */
  answered({ arrival, calling }: Run): void {
    const offers = arrival.call.instead?.offers
    if (offers && !offers.includes(calling.offer)) delete arrival.headers[RULE_HEADER]
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
      return [this.#describe(ruling, outcome, isShadow, saving)]
    }
    const effects = [...describe(ruled.acting, false), ...describe(ruled.shadow, true)]
    const row = { requestId, createdAt, session: session.id, askedModel: request.model }
    return [['putRuled', { ...row, facts: pickStored(ruled.facts), effects }]]
  }

  #describe(
    ruling: Ruling,
    { changes, unable }: Pick<Effect, 'changes' | 'unable'>,
    shadow: boolean,
    saving: Saving | null,
  ): StoredEffect {
    const { savedNano = null, rewriteNano = null } = saving ?? {}
    return {
      ruleId: ruling.rule.id,
      ruleName: this.#book.getName(ruling.rule),
      shadow,
      changes,
      answer: findAnswer(ruling, shadow),
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

/** A rule that has changed nothing yet. */
function createRuling(rule: StoredRule): Ruling {
  const isDenied = rule.rule.do.some(({ kind }) => kind === 'deny')
  return {
    rule,
    effect: { ...NOTHING, isDenied },
    isFirst: false,
    isSwitched: false,
    question: null,
    isAsked: false,
  }
}

/** The owner is not asked about what is only tried. */
function findAnswer({ question, isAsked }: Ruling, isShadow: boolean): RuleAnswer | null {
  if (!question) return null
  if (isShadow || question.isAllowed === null) return 'none'
  const answer = question.isAllowed ? 'allowed' : 'denied'
  return isAsked ? answer : `${answer}-earlier`
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
