// Tries a rule on past requests: what it would have changed, and what that would have saved.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ApiKeys } from '../../../gateway/keys/api-keys.ts'
import type { Catalog } from '../../../gateway/models/catalog/catalog.ts'
import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import { type Clock, formatTime } from '../../../gateway/platform/clock.ts'
import type { AccountService } from '../../../gateway/spend/account.ts'
import { readUsage } from '../../../gateway/store/rows/request-columns.ts'
import type { Store } from '../../../gateway/store/store.ts'
import type { AppliedPrice } from '../../../shared/api/requests.ts'
import { hasSamplePrices, isChatModel, isPlan, REQUEST_NEEDS } from '../../../shared/api/terms.ts'
import { nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import { daySpan, getLocalTime, monthSpan } from '../../../shared/values/calendar.ts'
import type { RequestFacts } from '../api/facts.ts'
import type { RuleRehearsal, RuleRehearsalInput } from '../api/rehearsal.ts'
import { type CallerKind, EFFORTS, PREMIUMS, type Premium } from '../api/terms.ts'
import { decide, type RunStart } from './decide.ts'
import { fitsWindow, needsLongWindow } from './effect.ts'
import { PastLimits, type PastSpend } from './past-limits.ts'
import type { PastPage, PastRequest } from './past-rows.ts'
import { pickState } from './request-facts.ts'
import type { StoredFacts, StoredRule } from './rule-rows.ts'
import { type CostedRequest, computeSaving } from './saving.ts'

const DAY_MS = 86_400_000
/** The most requests that are listed. */
const MAX_LISTED = 100
/** The id of a rule that is tried. */
const TRIED = 'tried'

export interface RehearseDeps {
  store: Store
  clock: Clock
  keys: ApiKeys
  account: AccountService
  catalog: Catalog
}

/** `rules`: those that are on, among which the tried one has its place. Other requests go on meanwhile. */
export async function rehearseRule(
  { rule, days }: Pick<RuleRehearsalInput, 'rule' | 'days'>,
  rules: readonly StoredRule[],
  place: number,
  deps: RehearseDeps,
): Promise<RuleRehearsal> {
  const { store, clock, account, keys } = deps
  const { zone } = account.counters
  const now = clock.now()
  const from = daySpan(now - (days - 1) * DAY_MS, zone).start
  const tried: StoredRule = {
    id: TRIED,
    position: place,
    createdAt: 0,
    changedAt: 0,
    rule: { ...rule, mode: 'shadow' },
  }
  // The rehearsal is as if all of them had always been there.
  const others = rules.map((each) => ({ ...each, changedAt: 0 }))
  const prices = new Map(await store.scan('listPastPrices'))
  const rehearsal = new Rehearsal(others.toSpliced(place, 0, tried), { from, prices }, deps)
  // Limits of a month need what was spent in it before.
  const start = rehearsal.needsLimits ? Math.min(monthSpan(from, zone).start, from - 30 * DAY_MS) : from
  const own: PastRequest[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page: PastPage = await store.scan('listPastRequests', {
      from: start,
      after,
    })
    own.push(...page.rows)
    after = page.next
    if (!rehearsal.needsLimits) {
      rehearsal.tryAll(own.splice(0))
      await nextTurn()
    }
  }
  if (rehearsal.needsLimits) {
    rehearsal.limits = createPastLimits(own, [...keys.all()], deps)
    for (let at = 0; at < own.length; at += 2_000) {
      rehearsal.tryAll(own.slice(at, at + 2_000))
      await nextTurn()
    }
  }
  for (let after: number | null = 0; after !== null; ) {
    const page: PastPage = await store.scan('listPastImports', {
      from,
      after,
    })
    rehearsal.tryAll(page.rows)
    after = page.next
    await nextTurn()
  }
  return rehearsal.report()
}

function createPastLimits(
  own: readonly PastRequest[],
  keys: readonly ReturnType<ApiKeys['require']>[],
  { account }: RehearseDeps,
): PastLimits {
  const spent = new Map<string | null, number>()
  for (const { keyId, costNano, provider } of own) {
    spent.set(keyId, (spent.get(keyId) ?? 0) + (costNano ?? 0))
    if (!hasSamplePrices(provider)) spent.set(null, (spent.get(null) ?? 0) + (costNano ?? 0))
  }
  const ever = new Map(keys.map(({ id, spendNano }) => [id, spendNano]))
  return new PastLimits({
    keys,
    accountLimits: account.spendLimits,
    zone: account.counters.zone,
    spentBefore: (keyId) => {
      const total = keyId === null ? account.counters.totalNano : (ever.get(keyId) ?? 0)
      return Math.max(0, total - (spent.get(keyId) ?? 0))
    },
  })
}

interface Changed {
  request: PastRequest
  model: string
  savedNano: number
  rewriteNano: number
}

class Rehearsal {
  readonly #rules: readonly StoredRule[]
  readonly #from: number
  readonly #prices: ReadonlyMap<number, AppliedPrice>
  readonly #deps: RehearseDeps
  readonly needsLimits: boolean
  readonly #needsUnrecorded: boolean
  readonly #needsTime: boolean
  limits: PastLimits | null = null
  readonly #runs = new Map<string, RunStart & { last: string | null }>()
  readonly #offers = new Map<string, readonly Offer[]>()
  /** The runs about which the tried rule has asked. */
  readonly #asked = new Set<string>()
  #counts = { requests: 0, imported: 0, changed: 0, asked: 0, unpriced: 0, unknown: 0 }
  #beforeNano = 0
  #savedNano = 0
  #rewriteNano = 0
  #listed: Changed[] = []

  constructor(
    rules: readonly StoredRule[],
    { from, prices }: { from: number; prices: ReadonlyMap<number, AppliedPrice> },
    deps: RehearseDeps,
  ) {
    const kinds = new Set(rules.flatMap(({ rule }) => rule.when.map(({ kind }) => kind)))
    this.#rules = rules
    this.#from = from
    this.#prices = prices
    this.#deps = deps
    this.needsLimits = kinds.has('budget')
    this.#needsTime = kinds.has('time')
    this.#needsUnrecorded = kinds.has('plan') || kinds.has('effort')
  }

  tryAll(rows: readonly PastRequest[]): void {
    for (const request of rows) {
      const spend = toSpend(request)
      const used = request.facts ? null : this.limits?.read(request.createdAt, spend)
      if (request.createdAt >= this.#from) this.#try(request, this.#createFacts(request, used ?? null))
      if (request.id !== null) this.limits?.add(spend)
    }
  }

  #try(request: PastRequest, facts: RequestFacts): void {
    this.#counts.requests += 1
    if (request.id === null) this.#counts.imported += 1
    if (this.#needsUnrecorded && !request.facts) this.#counts.unknown += 1
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
    const common = { keyId, model, providerId, program, tag }
    if (facts !== null) {
      const stored: StoredFacts = JSON.parse(facts)
      return { ...common, ...stored }
    }
    const tier = request.price === null ? request.tier : this.#prices.get(request.price)?.tier
    const { zone } = this.#deps.account.counters
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
      this.#asked.add(nameRun(request))
      this.#counts.asked = this.#asked.size
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
    this.#counts.changed += 1
    const { costNano } = request
    if (costNano === null) {
      this.#counts.unpriced += 1
      return
    }
    const saving = isDenied
      ? { savedNano: costNano, rewriteNano: 0 }
      : this.#save(request, offer, premiums, isFirst)
    if (!saving) {
      this.#counts.unpriced += 1
      return
    }
    this.#beforeNano += costNano
    this.#savedNano += saving.savedNano
    this.#rewriteNano += saving.rewriteNano
    const model = isDenied ? '' : (offer?.id ?? request.model)
    this.#listed.push({ request, model, ...saving })
    if (this.#listed.length > 20 * MAX_LISTED) this.#listed = pickLargest(this.#listed)
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
    const price = nr === null ? undefined : this.#prices.get(nr)
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

  report(): RuleRehearsal {
    const usd = (nano: number) => nanoToUsd(nanoUsd(nano))
    const afterNano = this.#beforeNano - this.#savedNano + this.#rewriteNano
    return {
      from: formatTime(this.#from),
      ...this.#counts,
      beforeUsd: usd(this.#beforeNano),
      afterUsd: usd(afterNano),
      savedUsd: usd(this.#savedNano),
      rewriteUsd: usd(this.#rewriteNano),
      data: pickLargest(this.#listed).map(({ request, model, savedNano, rewriteNano }) => ({
        requestId: request.id,
        at: formatTime(request.createdAt),
        program: request.program,
        askedModel: request.askedModel,
        model: model === '' ? null : model,
        costUsd: usd(request.costNano ?? 0),
        savedUsd: usd(savedNano),
        rewriteUsd: usd(rewriteNano),
      })),
    }
  }
}

function nameRun({ id, session, agent }: PastRequest): string {
  return `${id === null} ${session} ${agent}`
}

function pickLargest(listed: readonly Changed[]): Changed[] {
  return listed.toSorted((a, b) => Math.abs(b.savedNano) - Math.abs(a.savedNano)).slice(0, MAX_LISTED)
}

function toSpend(request: PastRequest): PastSpend {
  const { createdAt, settledAt, costNano, session, agent, keyId, model, provider, tag } = request
  return {
    createdAt,
    settledAt,
    nano: costNano ?? 0,
    session,
    agent,
    keyId: keyId ?? '',
    model,
    provider,
    tag,
  }
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
