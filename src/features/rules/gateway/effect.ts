// What a rule does to one request: another model, members that are lowered or removed, or a refusal.
import { mergeQuirks, type NativeRequest, type Quirks } from '../../../gateway/formats/chat/codec-types.ts'
import type { JsonPath } from '../../../gateway/formats/json/edit-json.ts'
import { isObject, type JsonObject, listObjects } from '../../../gateway/formats/json/json.ts'
import { findFamily } from '../../../gateway/models/catalog/model-families.ts'
import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import { type ErrorDetail, GatewayError } from '../../../gateway/platform/errors.ts'
import type { LineOrRequest } from '../../../gateway/request/run.ts'
import { findModelOffers } from '../../../gateway/request/select.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import type { Action } from '../api/actions.ts'
import type { RuleEffect } from '../api/effects.ts'
import type { RuleInput } from '../api/rules.ts'
import { PREMIUMS, type Premium } from '../api/terms.ts'
import { type Edit, editObject, editText, formatPath } from './body-edits.ts'
import { findPremiums, type PremiumUse, removePremiums, type SentRequest } from './premium-fields.ts'
import { fitModel, lowerBudget, lowerEffort } from './reduce.ts'

export interface Effect extends Pick<RuleEffect, 'changes' | 'unable'> {
  isDenied: boolean
  /** The offers of the other model; empty where the model stays. */
  offers: readonly Offer[]
  /** The premiums that are removed. */
  premiums: readonly Premium[]
  /** Puts it into effect; null where nothing changes. */
  apply: (() => LineOrRequest['call']) | null
}

export const NOTHING: Effect = {
  changes: [],
  unable: null,
  isDenied: false,
  offers: [],
  premiums: [],
  apply: null,
}

/** `promptTokens`: an estimate. `foreignTurns`: how many items of the conversation another model may have signed. */
export interface EffectInput {
  arrival: LineOrRequest
  promptTokens: number
  foreignTurns: number
}

/** Never throws: what cannot be done leaves the request as it was asked. */
export function computeEffect({ do: actions }: Pick<RuleInput, 'do'>, input: EffectInput): Effect {
  const { call } = input.arrival
  if (actions.length === 0 || actions.some(({ kind }) => kind === 'ask')) return NOTHING
  if (actions.some(({ kind }) => kind === 'deny'))
    return { ...NOTHING, isDenied: true, changes: describeDenial(call) }
  if (call.mode.kind === 'plan')
    return { ...NOTHING, unable: 'The plan of a client is sent its own bytes, which nothing may change.' }
  if (call.mode.kind === 'raw')
    return { ...NOTHING, unable: 'Requests of this endpoint are passed through unchanged.' }
  try {
    return lower(actions, input)
  } catch (error) {
    return { ...NOTHING, unable: errorMessage(error) }
  }
}

function lower(actions: readonly Action[], input: EffectInput): Effect {
  const { call } = input.arrival
  const switched = chooseModel(actions, input)
  const sent = describeSent(call)
  const quirks = findQuirks(switched.offers[0], input.arrival)
  const uses = findRemoved(actions, sent, input)
  const removed = removePremiums(sent, uses)
  const reductions = actions.flatMap((action) => {
    if (action.kind === 'effort') return lowerEffort(sent.json, action.atMost, quirks?.efforts)
    return action.kind === 'thinking' ? lowerBudget(sent.json, action.atMost) : []
  })
  const edits: readonly Edit[] = [...reductions, ...removed.edits]
  const changes = [
    ...switched.changes,
    ...reductions.map(({ path, asked, value }) => ({ field: formatPath(path), asked, sent: String(value) })),
    ...uses.map(({ field, value }) => ({ field, asked: value, sent: null })),
  ]
  const { offers, unable } = switched
  const common = { isDenied: false, offers, premiums: [...new Set(uses.map(({ premium }) => premium))] }
  if (changes.length === 0) return { ...NOTHING, unable }
  const apply = () => {
    const lowered =
      edits.length === 0 && removed.headers === sent.headers ? call : edit(call, edits, removed.headers)
    return offers.length === 0
      ? lowered
      : { ...lowered, instead: fitTo(offers, lowered, quirks ?? {}, input) }
  }
  return { ...common, changes, unable: null, apply }
}

type Switched = Pick<Effect, 'offers' | 'changes' | 'unable'>
const STAYS: Switched = { offers: [], changes: [], unable: null }

/** The offers of the other model that can serve the request as if it had been asked for. */
function chooseModel(actions: readonly Action[], input: EffectInput): Switched {
  const action = actions.find(({ kind }) => kind === 'model')
  if (action?.kind !== 'model') return STAYS
  const { arrival } = input
  const { request } = arrival.call
  const wanted = action.model
  let offers: readonly Offer[]
  try {
    offers = findModelOffers(wanted, arrival)
  } catch (error) {
    return { ...STAYS, unable: errorMessage(error) }
  }
  const able = offers.filter((offer) => isAble(offer, input))
  const [first] = able
  if (!first) return { ...STAYS, unable: `The request does not fit ${wanted}.` }
  if (first.id === request.model) return STAYS
  const asked = arrival.deps.catalog.knows(request.model) ? findAsked(arrival) : null
  if (asked?.id === first.id) return STAYS
  return { offers: able, changes: [{ field: 'model', asked: request.model, sent: first.id }], unable: null }
}

function findAsked(arrival: LineOrRequest): Offer | null {
  return arrival.deps.catalog.route(arrival.call.request.model).offers[0] ?? null
}

/** Estimates of prompts may be too low by this factor. */
const MARGIN = 1.25
const LEAST_OUTPUT = 1_024
const USUAL_WINDOW = 200_000

/** `promptTokens`: an estimate. */
export function fitsWindow({ contextWindow }: Pick<Offer, 'contextWindow'>, promptTokens: number): boolean {
  return contextWindow === null || promptTokens * MARGIN + LEAST_OUTPUT <= contextWindow
}

/** Whether the prompt needs more than the context window without a beta of Anthropic. */
export function needsLongWindow(promptTokens: number): boolean {
  return !fitsWindow({ contextWindow: USUAL_WINDOW }, promptTokens)
}

/** Whether the prompt fits, and the model accepts the request. */
function isAble(offer: Offer, { arrival, promptTokens }: EffectInput): boolean {
  const { deps, call } = arrival
  if (!deps.providers.isConfigured(offer.providerId) || !deps.breakers.allows(offer.providerId)) return false
  if (!fitsWindow(offer, promptTokens)) return false
  const { tools, tool_choice: choice } = call.request
  if (tools?.length && offer.capabilitiesKnown && !offer.capabilities.includes('tools')) return false
  const isForced = choice === 'required' || isObject(choice)
  return !(isForced && findQuirks(offer, arrival)?.noForcedTools)
}

function findQuirks(offer: Offer | undefined, arrival: LineOrRequest): Quirks | null {
  const serving = offer ?? findServing(arrival)
  if (!serving) return null
  const { providers } = arrival.deps
  const own = providers.isConfigured(serving.providerId) ? providers.endpoint(serving.providerId).quirks : {}
  return mergeQuirks(own, findFamily(serving.vendorModel)?.quirks)
}

function findServing(arrival: LineOrRequest): Offer | null {
  return arrival.deps.catalog.knows(arrival.call.request.model) ? findAsked(arrival) : null
}

/** The body and the headers that a provider of the client's format would get. */
export function describeSent({ mode, json }: LineOrRequest['call']): SentRequest {
  if (mode.kind !== 'native' && mode.kind !== 'plan') return { format: 'openai-chat', json, headers: {} }
  const { format, headers } = mode.native
  return { format, json: mode.native.json, headers }
}

/** A long window stays with a prompt that needs it. */
function findRemoved(
  actions: readonly Action[],
  sent: SentRequest,
  { promptTokens }: EffectInput,
): PremiumUse[] {
  const what = actions.flatMap((action) => (action.kind === 'remove' ? action.what : []))
  if (what.length === 0) return []
  return findPremiums(
    sent,
    needsLongWindow(promptTokens) ? what.filter((premium) => premium !== 'window') : what,
  )
}

function edit(
  call: LineOrRequest['call'],
  edits: readonly Edit[],
  headers: SentRequest['headers'],
): LineOrRequest['call'] {
  const json = editObject(call.json, edits)
  const decoded = call.codec.decodeRequest(json)
  const { mode } = call
  if (mode.kind !== 'native') return { ...call, ...decoded, json }
  const native = editNative(mode.native, edits, { headers, chatRequest: decoded.request })
  return { ...call, ...decoded, json, mode: { kind: 'native', native } }
}

function editNative(
  native: NativeRequest,
  edits: readonly Edit[],
  more: Partial<Pick<NativeRequest, 'headers' | 'chatRequest'>>,
): NativeRequest {
  return { ...native, ...more, body: editText(native.body, edits), json: editObject(native.json, edits) }
}

/** The request without what another model has signed. */
export function withoutForeign(call: LineOrRequest['call'], foreignTurns: number): LineOrRequest['call'] {
  if (foreignTurns === 0 || call.mode.kind !== 'native') return call
  const { json, headers } = describeSent(call)
  return edit(call, dropReasoning(json, foreignTurns), headers)
}

const BETA = 'anthropic-beta'

/** The request as the other model accepts it. */
function fitTo(
  offers: readonly Offer[],
  call: LineOrRequest['call'],
  quirks: Quirks,
  { foreignTurns }: EffectInput,
): LineOrRequest['call']['instead'] {
  const [first] = offers
  const { mode, codec } = call
  const sent = describeSent(call)
  const edits = first
    ? [...dropReasoning(sent.json, foreignTurns), ...fitModel(sent.json, first, quirks)]
    : []
  const { request } = codec.decodeRequest(editObject(call.json, edits))
  if (mode.kind !== 'native') return { offers, request, native: null }
  const headers =
    first?.contextWindow && first.contextWindow <= USUAL_WINDOW
      ? withoutLongWindow(sent.headers)
      : sent.headers
  return { offers, request, native: editNative(mode.native, edits, { headers, chatRequest: request }) }
}

function withoutLongWindow(headers: SentRequest['headers']): SentRequest['headers'] {
  const { [BETA]: sent, ...others } = headers
  if (sent === undefined) return headers
  const kept = sent.split(',').filter((name) => !/^\s*context-\d+m-/.test(name))
  return kept.length === 0 ? others : { ...headers, [BETA]: kept.join(',') }
}

/** The lists of items that a conversation consists of. */
const CONVERSATIONS = ['messages', 'input', 'contents'] as const

export function countTurns(json: JsonObject): number {
  return Math.max(0, ...CONVERSATIONS.map((name) => listLength(json[name])))
}

function listLength(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

/** Members of a message that only the model that wrote it accepts. */
const SIGNED_MEMBERS = ['reasoning_details', 'reasoning_content', 'signed_reasoning']
const SIGNED_TYPES: readonly unknown[] = ['thinking', 'redacted_thinking', 'reasoning']

/** Removes the reasoning that another model has signed. An item stays without it, so that later requests have the same prefix. */
function dropReasoning(json: JsonObject, foreignTurns: number): Edit[] {
  const edits: Edit[] = []
  if (foreignTurns === 0) return edits
  for (const name of CONVERSATIONS) {
    const turns = json[name]
    if (!Array.isArray(turns)) continue
    for (const [at, turn] of [...turns.slice(0, foreignTurns).entries()].reverse())
      if (isObject(turn)) edits.push(...findSigned(turn, [name, at]))
  }
  return edits
}

function findSigned(turn: JsonObject, path: JsonPath): Edit[] {
  if (SIGNED_TYPES.includes(turn.type)) return [{ path }]
  const members = SIGNED_MEMBERS.filter((name) => turn[name] !== undefined).map((name) => ({
    path: [...path, name],
  }))
  const blocks = listObjects(turn.content)
  const signed = blocks.filter(({ type }) => SIGNED_TYPES.includes(type)).length
  // A message without any content would be rejected.
  if (signed > 0 && signed === blocks.length) return [...members, { path }]
  const list = Array.isArray(turn.content) ? turn.content : []
  const content = [...list.entries()]
    .reverse()
    .filter(([, block]) => isObject(block) && SIGNED_TYPES.includes(block.type))
    .map(([at]) => ({ path: [...path, 'content', at] }))
  const parts = [...listObjects(turn.parts).entries()]
    .filter(([, part]) => part.thoughtSignature !== undefined)
    .map(([at]) => ({ path: [...path, 'parts', at, 'thoughtSignature'] }))
  return [...members, ...content, ...parts]
}

/** The premiums that a rule which denies is about. */
export function listAskedPremiums({ when }: Pick<RuleInput, 'when'>): readonly Premium[] {
  const asked = when.flatMap((each) => (each.kind === 'premium' ? each.any : []))
  return asked.length > 0 ? asked : PREMIUMS
}

/** What a refusal changes. */
export function describeDenial({ request }: LineOrRequest['call']): Effect['changes'] {
  return [{ field: 'request', asked: request.model, sent: null }]
}

export function asks({ rule }: { rule: Pick<RuleInput, 'do'> }): boolean {
  return rule.do.some(({ kind }) => kind === 'ask')
}

export const RULE_HEADER = 'x-tollgate-rule'
export const DENIED = 'denied_by_rule'

function createHeaders(name: string): Record<string, string> {
  return { 'x-should-retry': 'false', [RULE_HEADER]: name }
}

/** The refusal of a request whose session or sub-agent the owner has not allowed. */
export function describeMissingPermission(name: string, { call, place }: LineOrRequest): ErrorDetail {
  const whole = place.agentId === null ? 'session' : 'sub-agent'
  return {
    status: 403,
    code: DENIED,
    param: 'model',
    message: `The rule "${name}" needs permission. Its owner was asked in Tollgate whether this ${whole} may use ${call.request.model}, and has not allowed it. Go on with what needs none, or start another ${whole}; the rule is in Tollgate under Settings → Rules.`,
    headers: createHeaders(name),
  }
}

/** The refusal of a rule, in the client's own format, with what asked for a premium and its price. */
export function createRefusal(
  name: string,
  arrival: LineOrRequest,
  premiums: readonly Premium[],
): GatewayError {
  const [use] = findPremiums(describeSent(arrival.call), premiums)
  const reason = use ? describeUse(use, arrival) : 'Its conditions hold for this request.'
  return new GatewayError({
    status: 403,
    code: DENIED,
    param: use?.field ?? 'model',
    message: `The rule "${name}" refuses it. ${reason} Change the request, or the rule in Tollgate under Settings → Rules.`,
    headers: createHeaders(name),
  })
}

function describeUse({ premium, field, value }: PremiumUse, arrival: LineOrRequest): string {
  const factor = findFactor(premium, arrival)
  const price = factor === null ? 'which costs more' : `which costs ${factor} times as much`
  return `It asks for "${field}": "${value}", ${price}.`
}

/** The factor by which a premium multiplies its price; null for an unknown one, and where it is none. */
function findFactor(premium: Premium, arrival: LineOrRequest): number | null {
  const price = findServing(arrival)?.price
  if (!price) return null
  const { tierFactors } = price.pricing
  if (premium === 'tier') return tierFactors?.priority ?? null
  if (premium === 'speed') return tierFactors?.fast ?? null
  const rates = price.rates(0)
  if (premium === 'cache') return divide(rates.cacheWrite1h, rates.cacheWrite5m)
  return premium === 'window' ? divide(price.rates(USUAL_WINDOW + 1).input, rates.input) : null
}

function divide(dear: number, usual: number): number | null {
  return usual > 0 && dear > usual ? Math.round((dear / usual) * 100) / 100 : null
}
