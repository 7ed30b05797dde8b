// Which requests a key's response cache may answer, what is kept of an answer, and the request that gets a stored one.

import { readSentContent } from '../../../gateway/formats/chat/sent-content.ts'
import { canonicalJson, isObject, type JsonObject, parseJson } from '../../../gateway/formats/json/json.ts'
import type { Feature } from '../../../gateway/http/calls.ts'
import { MAX_STORED_BYTES } from '../../../gateway/idempotency/idempotency.ts'
import { invalidRequest } from '../../../gateway/platform/errors.ts'
import { unlessAborted } from '../../../gateway/platform/wait.ts'
import type { InferenceCall, RequestMode } from '../../../gateway/request/call.ts'
import { FREE } from '../../../gateway/request/charge.ts'
import type { FinalOutcome } from '../../../gateway/request/ledger.ts'
import type { Arrival, RequestHook, Run } from '../../../gateway/request/run.ts'
import { allowedOffers, withoutPlans } from '../../../gateway/request/select.ts'
import { costHeaders, FAULT, settle } from '../../../gateway/request/settle.ts'
import type { CommonServices } from '../../../gateway/settings/settings.ts'
import type { RateAdmission } from '../../../gateway/spend/rates/rate-limits.ts'
import { nanoToUsd, nanoUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { AnswerStore, type CacheSlot, type CacheWrite, createSlot } from './answer-store.ts'

const CACHE_HEADER = 'x-tollgate-cache'

/** Why a request is not looked up. */
type CacheSkip =
  | 'off'
  | 'bypass'
  | 'size'
  | 'form'
  | 'tools'
  | 'state'
  | 'external'
  | 'n'
  | 'number'
  | 'temperature'

/** How a request uses the response cache of its key. */
type CacheUse = { kind: 'skip'; reason: CacheSkip } | CacheKey

/** `request`: what must be the same. `isLookedUp`: false to run it and replace the stored answer. */
interface CacheKey {
  kind: 'use'
  request: string
  secret: string
  isLookedUp: boolean
}

/** Where the answer of a request is kept, and the model that must give it. */
interface CachePlace {
  slot: CacheSlot
  model: string
}

function createHook(answers: AnswerStore): RequestHook {
  const places = new WeakMap<Arrival, CachePlace>()
  return {
    answer(arrival) {
      const use = readCacheUse(arrival.call)
      if (use === null) return false
      arrival.headers[CACHE_HEADER] = use.kind === 'use' ? 'miss' : `skip; reason=${use.reason}`
      if (use.kind === 'skip') return false
      arrival.call.stream.record()
      const place = findPlace(use, arrival)
      if (!place) return false
      // The place is that of the client's own request, of which nothing else is kept than its own answer.
      if (!arrival.call.ruled) places.set(arrival, place)
      return use.isLookedUp && answerFromCache(arrival, place, answers)
    },
    keep(run, outcome) {
      const place = places.get(run.arrival)
      const kept = place && keepAnswer(run, place, outcome, answers)
      return kept && [kept]
    },
  }
}

/** Members with which a request acts, searches, or refers to what the next equal one may not find. Empty lists do nothing. */
const ACTING = [
  'tools',
  'functions',
  'mcp_servers',
  'plugins',
  'web_search_options',
  'search_parameters',
  'enable_search',
  'data_sources',
  'compound_custom',
]
const STATEFUL = ['background', 'previous_response_id', 'conversation', 'container']

/** Above that, the hash of a request would hold up all others for a second. */
const MAX_HASHED_BYTES = 4 * 1024 * 1024

/** Null where nothing is to be said of the cache. Throws 400 for an unknown value of the header. */
function readCacheUse(call: InferenceCall): CacheUse | null {
  const wish = call.headers[CACHE_HEADER]
  if (wish !== undefined && wish !== 'use' && wish !== 'refresh' && wish !== 'bypass') {
    const message = 'The header X-Tollgate-Cache must be "use", "refresh" or "bypass".'
    throw invalidRequest(message, { param: 'X-Tollgate-Cache' })
  }
  const { key, secret, mode, request, endpoint, url, overflowFrom, body: bytes } = call
  if (key.responseCache === null || secret === null || mode.kind === 'plan' || overflowFrom !== null)
    return wish === undefined ? null : { kind: 'skip', reason: 'off' }
  if (wish === 'bypass') return { kind: 'skip', reason: 'bypass' }
  if (bytes.byteLength > MAX_HASHED_BYTES) return { kind: 'skip', reason: 'size' }
  const body = parseJson(bytes.toString('utf8'))
  const reason = isObject(body) ? findObstacle(body, call, wish !== undefined) : 'form'
  if (reason) return { kind: 'skip', reason }
  const headers = mode.kind === 'native' ? mode.native.headers : {}
  const query = url.slice(url.split('?', 1)[0]?.length)
  try {
    const same = { endpoint, query, headers, model: request.model, stream: request.stream ?? false, body }
    return { kind: 'use', request: canonicalJson(same), secret, isLookedUp: wish !== 'refresh' }
  } catch {
    // Text that is not Unicode.
    return { kind: 'skip', reason: 'form' }
  }
}

function findObstacle(
  body: JsonObject,
  { mode, request }: InferenceCall,
  isWished: boolean,
): CacheSkip | null {
  const isSet = (name: string) => {
    const value = body[name]
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false
  }
  if (ACTING.some(isSet) || request.tools?.length) return 'tools'
  const native = mode.kind === 'native' ? mode.native : null
  // OpenAI's Responses are stored unless they say otherwise.
  const isStored = native?.format === 'openai-responses' ? body.store !== false : isSet('store')
  if (isStored || STATEFUL.some(isSet)) return 'state'
  if (readsElsewhere(mode)) return 'external'
  if ((request.n ?? 1) !== 1 || (body.n ?? 1) !== 1) return 'n'
  if (!isExact(body)) return 'number'
  return isWished || request.temperature === 0 ? null : 'temperature'
}

function readsElsewhere(mode: RequestMode): boolean {
  if (mode.kind === 'raw') return mode.passThrough.unknownInputs > 0
  return mode.kind === 'native' && readSentContent(mode.native.format, mode.native.json).external
}

/** Whether no two different texts of these numbers are read as the same number. */
function isExact(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) || !Number.isInteger(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact)
}

/**
 * The place of the answer; null for a request that is not kept. Everything that decides what a provider would answer, and what that
 * costs, is part of it, so that a change of a model, a price, a provider or the plan starts over.
 */
function findPlace({ request: same, secret }: CacheKey, { call, deps }: Arrival): CachePlace | null {
  const { key, request } = call
  const { catalog, providers, account } = deps
  const settings = key.responseCache
  if (settings === null) return null
  // Whatever limits are used up now: a hit costs nothing.
  const offers = allowedOffers(withoutPlans(catalog.route(request.model).offers), key, request.model)
  const [first] = offers
  if (!first) return null
  const serving = offers.map((offer) => {
    const row = { ...providers.require(offer.providerId), modelsFetchedAt: null }
    return [{ ...offer, created: 0, price: offer.price?.bands ?? null, worth: null }, row]
  })
  const slot = createSlot({
    // A row that was just changed has its members in another order than one that was read.
    request: `${same}\n${canonicalJson(JSON.parse(JSON.stringify([serving, account.plan])))}`,
    secret,
    keyId: key.id,
    ttlMs: settings.ttlSeconds * 1_000,
    maxBytes: settings.maxBytes,
  })
  return { slot, model: first.id }
}

/** Finish reasons of an answer that is complete. */
const COMPLETE: ReadonlySet<string> = new Set(['stop', 'length'])

/** What the settlement keeps of the answer. Undefined for one that is not complete, not exactly priced, or a fallback's. */
function keepAnswer(
  { entry, serving, meter }: Run,
  { slot, model: wanted }: CachePlace,
  { status, httpStatus, charge, model, provider, response }: FinalOutcome,
  answers: AnswerStore,
): CacheWrite | undefined {
  const { body, headers } = response
  const contentType = headers['content-type']
  if (status !== 'succeeded' || httpStatus !== 200 || !serving || body === null || !contentType) return
  const { costNano, costStatus, usage } = charge
  if (costStatus !== 'exact' || costNano === null || model === null || provider === null) return
  if (model !== wanted || serving.shortenedTo !== null || serving.bound.external) return
  if (usage?.webSearches || usage?.fileSearches) return
  const reasons = [...meter.finishReasons]
  const isCut = reasons.includes('length') && serving.target.enforcedOutputTokens
  if (isCut || !reasons.every((reason) => COMPLETE.has(reason))) return
  const length = Buffer.byteLength(body)
  if (length > MAX_STORED_BYTES || length > slot.maxBytes / 2) return
  const answer = { contentType, stream: entry.request.stream, model, provider, costNano }
  return answers.keep(slot, { ...answer, body: withoutCost(body, nanoToUsd(costNano)) })
}

/** The body, in which the cost is that of a stored answer: nothing. */
function withoutCost(body: string | Buffer, costUsd: number): string | Buffer {
  const [cost, none] = [`"cost":${JSON.stringify(costUsd)}`, '"cost":0']
  if (typeof body === 'string') return body.replaceAll(cost, none)
  return Buffer.from(body.toString('latin1').replaceAll(cost, none), 'latin1')
}

/** Answers with the stored bytes, as a request of its own that costs nothing: caps that are reached do not stop it. */
async function answerFromCache(
  arrival: Arrival,
  { slot }: CachePlace,
  answers: AnswerStore,
): Promise<boolean> {
  const { call, deps, inFlight } = arrival
  const { key, tag, stream } = call
  const { budget, limits, ledger } = deps
  const cached = await unlessAborted(answers.find(slot), inFlight.signal)
  if (!cached) return false
  const { answer, ageSeconds } = cached
  const { model, provider, costNano, body } = answer
  let rate: RateAdmission
  try {
    arrival.requireAllowed()
    rate = limits.admit(key, 0)
  } catch (error) {
    throw arrival.refuse(error)
  }
  const reservation = budget.reserveNothing({ key, models: [], ...arrival.place, tag })
  try {
    const row = { ...arrival.describe(), provider, tokensIn: 0, needs: null }
    const money = { reservedNano: ZERO_USD, estimateNano: ZERO_USD, queueMs: 0 }
    const entry = await ledger.open({ ...row, ...money }, reservation, inFlight)
    const charge = { ...FREE, costStatus: 'cached' as const }
    const trailers = costHeaders(charge)
    const headers = {
      'content-type': answer.contentType,
      ...rate.headers,
      'x-service-model': model,
      [CACHE_HEADER]: 'hit',
      age: String(ageSeconds),
    }
    const outcome: FinalOutcome = {
      charge,
      model,
      provider,
      attempts: [],
      firstByteMs: null,
      error: null,
      reached: true,
      status: 'succeeded',
      httpStatus: 200,
      savedNano: nanoUsd(costNano),
      also: [answers.use(slot)],
      response: { status: 200, headers: { ...headers, ...trailers }, body },
    }
    try {
      await settle({ arrival, entry, rate }, outcome)
    } catch (thrown) {
      const { response: _response, reached: _reached, ...known } = outcome
      const fault = { status: 'failed', httpStatus: 500, error: FAULT, totalMs: 0 } as const
      await ledger.settle(entry, { ...known, ...fault, savedNano: ZERO_USD, also: undefined })
      throw thrown
    }
    if (entry.refusal) throw entry.refusal
    if (answer.stream) {
      stream.begin(headers, Object.keys(trailers), null)
      await stream.write(body, inFlight.signal)
      stream.end('', trailers)
    } else stream.send(200, { ...headers, ...trailers }, body)
    return true
  } finally {
    budget.release(reservation)
  }
}

export function createResponseCache({ store, clock }: Pick<CommonServices, 'store' | 'clock'>): Feature {
  return { hooks: [createHook(new AnswerStore(store, clock))] }
}
