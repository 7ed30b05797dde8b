// Tries a rule on past requests.
import type { ApiKeys } from '../../../gateway/keys/api-keys.ts'
import type { Catalog } from '../../../gateway/models/catalog/catalog.ts'
import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import { readUsage } from '../../../gateway/store/rows/request-columns.ts'
import { getHistoryToolName } from '../../../shared/api/history-tools.ts'
import type { AppliedPrice } from '../../../shared/api/requests.ts'
import { isChatModel, isPlan, REQUEST_NEEDS } from '../../../shared/api/terms.ts'
import { getLocalTime } from '../../../shared/values/calendar.ts'
import type { RequestFacts } from '../api/facts.ts'
import type { RuleInput } from '../api/rules.ts'
import { type CallerKind, EFFORTS, PREMIUMS, type Premium } from '../api/terms.ts'
import { decide, type RunStart } from './decide.ts'
import { fitsWindow, needsLongWindow } from './effect.ts'
import { type PastLimits, toSpend } from './past-limits.ts'
import type { PastRequest } from './past-rows.ts'
import { pickState } from './request-facts.ts'
import type { StoredFacts, StoredRule } from './rule-rows.ts'
import { type CostedRequest, computeSaving } from './saving.ts'
import type { Tally } from './tally.ts'

/** The id of a rule that is tried. */
const TRIED = 'tried'

export interface RuleTrialDeps {
  keys: Pick<ApiKeys, 'get'>
  catalog: Catalog
  zone: string
  prices: ReadonlyMap<number, AppliedPrice>
  /** The limits in force. Null where no rule is about them. */
  limits: PastLimits | null
  /** Requests before it are in no sum. */
  from: number
  tally: Tally
}

/** The tried rule at its place among those that are on, as if all of them had always been there. */
export function insertTried(rules: readonly StoredRule[], rule: RuleInput, place: number): StoredRule[] {
  const always = { createdAt: 0, changedAt: 0 }
  const others = rules.map((stored) => ({ ...stored, ...always }))
  return others.toSpliced(place, 0, {
    ...always,
    id: TRIED,
    position: place,
    rule: { ...rule, mode: 'shadow' },
  })
}

export class RuleTrial {
  readonly #rules: readonly StoredRule[]
  readonly #deps: RuleTrialDeps
  readonly #needsUnrecorded: boolean
  readonly #needsTime: boolean
  readonly #runs = new Map<string, RunStart & { last: string | null }>()
  readonly #offers = new Map<string, readonly Offer[]>()
  /** The runs about which the tried rule has asked. */
  readonly #asked = new Set<string>()

  /** `rules`: with the tried one. */
  constructor(rules: readonly StoredRule[], deps: RuleTrialDeps) {
    const kinds = new Set(rules.flatMap(({ rule }) => rule.when.map(({ kind }) => kind)))
    this.#rules = rules
    this.#deps = deps
    this.#needsTime = kinds.has('time')
    this.#needsUnrecorded = kinds.has('plan') || kinds.has('effort')
  }

  try(request: PastRequest): void {
    const { limits, from } = this.#deps
    const used = request.facts ? null : (limits?.read(request.createdAt, toSpend(request)) ?? null)
    if (request.createdAt >= from && request.usage !== '')
      this.#decide(request, this.#createFacts(request, used))
    if (request.id !== null) limits?.add(toSpend(request))
  }

  #decide(request: PastRequest, facts: RequestFacts): void {
    this.#deps.tally.add(request, this.#needsUnrecorded && !request.facts)
    const run = this.#findRun(request, facts)
    const { shadow } = decide(this.#rules, facts, run)
    const isFirst = run.last !== (shadow?.id ?? null)
    run.last = shadow?.id ?? null
    if (shadow?.id === TRIED) this.#change(request, facts, shadow, isFirst)
  }

  /** The facts that were recorded, or as far as the row shows them. */
  #createFacts(
    request: PastRequest,
    used: Pick<RequestFacts, 'keyPercent' | 'accountPercent'> | null,
  ): RequestFacts {
    const {
      keyId,
      askedModel: model,
      provider: providerId,
      program,
      tag,
      tokensIn,
      createdAt,
      facts,
    } = request
    const sender = request.id === null ? getHistoryToolName(program) : program
    const common = { keyId, model, providerId, program: sender, tag }
    if (facts !== null) {
      const stored: StoredFacts = JSON.parse(facts)
      return { ...common, ...stored }
    }
    const tier = request.price === null ? request.tier : this.#deps.prices.get(request.price)?.tier
    const { zone } = this.#deps
    return {
      ...common,
      caller: findPastCaller(request),
      effort: null,
      get premiums() {
        return findPastPremiums(request, tier ?? null)
      },
      keyPercent: used?.keyPercent ?? null,
      accountPercent: used?.accountPercent ?? null,
      planPercent: null,
      promptTokens: tokensIn,
      get minute() {
        return getLocalTime(createdAt, zone).minute
      },
      get weekday() {
        return getLocalTime(createdAt, zone).weekday
      },
    }
  }

  #findRun(request: PastRequest, facts: RequestFacts): RunStart & { last: string | null } {
    const begin = () => ({
      startedAt: request.createdAt,
      facts: this.#needsTime ? pickState(facts) : facts,
      last: null,
    })
    if (facts.caller === 'side') return begin()
    const name = nameRun(request)
    const known = this.#runs.get(name)
    if (known) return known
    const begun = begin()
    this.#runs.set(name, begun)
    return begun
  }

  #change(request: PastRequest, facts: RequestFacts, { rule }: StoredRule, isFirst: boolean): void {
    if (rule.do.some(({ kind }) => kind === 'ask')) {
      this.#ask(request)
      return
    }
    const isDenied = rule.do.some(({ kind }) => kind === 'deny')
    const offer = this.#findOffer(request, facts, rule)
    const what = rule.do.flatMap((action) => (action.kind === 'remove' ? action.what : []))
    const premiums = (facts.premiums ?? []).filter(
      (premium) => what.includes(premium) && (premium !== 'window' || !needsLongWindow(facts.promptTokens)),
    )
    const lowersEffort = rule.do.some(
      (action) =>
        action.kind === 'effort' &&
        facts.effort !== null &&
        EFFORTS.indexOf(facts.effort) > EFFORTS.indexOf(action.atMost),
    )
    if (!isDenied && !offer && premiums.length === 0 && !lowersEffort) return
    const { costNano } = request
    const denied = isDenied && costNano !== null ? { savedNano: costNano, rewriteNano: 0 } : null
    const saving = denied ?? this.#save(request, offer, premiums, isFirst)
    this.#deps.tally.change(request, isDenied ? null : (offer?.id ?? request.model), saving)
  }

  /** A question is about a whole run, with its side calls. What waits for it goes on unchanged. */
  #ask(request: PastRequest): void {
    const name = nameRun(request)
    if (!this.#asked.has(name)) this.#deps.tally.change(request, null, { savedNano: 0, rewriteNano: 0 })
    this.#asked.add(name)
  }

  /** Null without a known price. */
  #save(request: PastRequest, offer: Offer | null, premiums: readonly Premium[], isFirst: boolean) {
    const costed = this.#describeCost(request)
    const price = offer?.price ?? null
    if (!costed || (offer && !price)) return null
    return computeSaving(costed, { price, premiums }, isFirst)
  }

  #describeCost({ usage, tokensIn, costNano, price: nr, model, tier }: PastRequest): CostedRequest | null {
    if (costNano === null) return null
    const price = nr === null ? undefined : this.#deps.prices.get(nr)
    const pricing = price?.pricing ?? this.#findOffers(model)[0]?.price?.pricingFor(tokensIn)
    if (!pricing) return null
    const discountPercent = price?.discountPercent ?? 0
    const counts = readUsage(usage)
    return {
      usage: counts,
      tokensIn,
      costNano,
      tier: price?.tier ?? tier ?? undefined,
      pricing,
      discountPercent,
    }
  }

  /** The model that would have served instead; null for none. */
  #findOffer(request: PastRequest, facts: RequestFacts, { do: actions }: StoredRule['rule']): Offer | null {
    const action = actions.find(({ kind }) => kind === 'model')
    if (action?.kind !== 'model') return null
    const { needs, keyId } = request
    const matches = keyId === null ? null : (this.#deps.keys.get(keyId)?.modelMatcher ?? null)
    const offer = this.#findOffers(action.model).find(
      (each) =>
        (matches === null || matches(each.id, each.providerId)) &&
        fitsWindow(each, facts.promptTokens) &&
        (!each.capabilitiesKnown ||
          (isChatModel(each) &&
            (!((needs ?? 0) & REQUEST_NEEDS.vision) || each.capabilities.includes('vision')) &&
            (!((needs ?? 0) & REQUEST_NEEDS.tools) || each.capabilities.includes('tools')))),
    )
    if (!offer || offer.id === request.askedModel) return null
    return this.#findOffers(request.askedModel)[0]?.id === offer.id ? null : offer
  }

  #findOffers(model: string): readonly Offer[] {
    const known = this.#offers.get(model)
    if (known) return known
    const { catalog } = this.#deps
    const offers = catalog.knows(model)
      ? catalog.route(model).offers.filter(({ providerId }) => !isPlan(providerId))
      : []
    this.#offers.set(model, offers)
    return offers
  }
}

function nameRun({ id, session, agent }: PastRequest): string {
  return `${id === null} ${session} ${agent}`
}

/** A request without tools is taken for a side call. */
function findPastCaller({ role, agent, needs }: PastRequest): CallerKind {
  if (role === 'auxiliary') return 'side'
  if (agent !== '' || role === 'subagent' || role === 'workflow') return 'subagent'
  return needs !== null && !(needs & REQUEST_NEEDS.tools) && role !== 'compaction' ? 'side' : 'main'
}

const LONG_PROMPT = 200_000

function findPastPremiums({ usage: text, tokensIn }: PastRequest, tier: string | null): Premium[] {
  const usage = readUsage(text)
  const shown: Record<Premium, boolean> = {
    tier: tier === 'priority',
    speed: tier === 'fast',
    window: tokensIn > LONG_PROMPT,
    cache: usage.cacheWrite1h > 0,
    tools: (usage.webSearches ?? 0) + (usage.fileSearches ?? 0) > 0,
  }
  return PREMIUMS.filter((premium) => shown[premium])
}
