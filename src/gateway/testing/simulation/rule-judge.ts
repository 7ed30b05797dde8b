// The invariants of rules. What is refused although a rule has changed it is judged by a second admission of the client's own request in
// the same state, which sends and keeps nothing.
import type { z } from 'zod'
import { isLone } from '../../../features/rules/api/actions.ts'
import type { RuledRequestList } from '../../../features/rules/api/effects.ts'
import type { RuleInput } from '../../../features/rules/api/rules.ts'
import { EFFORTS } from '../../../features/rules/api/terms.ts'
import { admit } from '../../request/admit.ts'
import type { InferenceCall } from '../../request/call.ts'
import { InFlightRequests } from '../../request/in-flight.ts'
import type { FinalOutcome } from '../../request/ledger.ts'
import { Arrival, type InferenceDeps, type RequestHook, type Run } from '../../request/run.ts'
import { findOffers } from '../../request/select.ts'
import { BrokenInvariant } from './broken.ts'
import type { TrackedRequest } from './invariants.ts'
import type { SimulatedModel } from './models.ts'
import { drawRequest } from './requests.ts'
import { type ReceivedRequest, receive } from './vendor-meter.ts'

/** Statuses by which a vendor rejects the request itself. */
const REJECTED: ReadonlySet<number | null> = new Set([400, 413, 422])

export interface RuleJudgeDeps {
  /** Runs a check, whose failure ends the world after this step. */
  guard(check: () => void): void
  /** Whether the request of this client was admitted. */
  isAdmitted(client: string | null): boolean
}

/** Hooks to be called first and last of all. */
export function createRuleJudge({
  guard,
  isAdmitted,
}: RuleJudgeDeps): [first: RequestHook, last: RequestHook] {
  const asked = new WeakMap<Arrival, InferenceCall>()
  const first: RequestHook = {
    before(arrival) {
      asked.set(arrival, arrival.call)
      return undefined
    },
  }
  const judge = (arrival: Arrival, call: InferenceCall): void => {
    if (isAdmitted(call.client) || arrival.inFlight.signal.aborted) return
    void isServed(arrival.deps, call).then((isBroken) =>
      guard(() => {
        if (isBroken)
          throw new BrokenInvariant('refused', `${call.client} would be served, if no rule had changed it`)
      }),
    )
  }
  const last: RequestHook = {
    before(arrival) {
      const call = asked.get(arrival)
      if (call && arrival.call.ruled) arrival.onEnd(() => judge(arrival, call))
      return undefined
    },
    keep(run, outcome) {
      guard(() => checkFailed(run, outcome))
      guard(() => checkCalls(run, outcome))
      return undefined
    },
  }
  return [first, last]
}

class Opened extends Error {}

/** Whether the request would be admitted now, without a wait for others. */
async function isServed(deps: InferenceDeps, call: InferenceCall): Promise<boolean> {
  const ledger: InferenceDeps['ledger'] = Object.create(deps.ledger, {
    open: {
      value: () => {
        throw new Opened()
      },
    },
    recordRefused: { value: () => undefined },
  })
  const inFlight = new InFlightRequests(deps.clock)
  const arrival = new Arrival(call, { ...deps, hooks: [], ledger, inFlight })
  const waiting = setImmediate(() => arrival.inFlight.abort(new Error('it would wait')))
  try {
    await admit(arrival, findOffers(arrival))
    return true
  } catch (error) {
    return error instanceof Opened
  } finally {
    clearImmediate(waiting)
    arrival.end()
  }
}

/** The requested model is called where the vendor of another one rejects the request. */
function checkFailed(
  { call: { instead, client }, serving, candidates }: Run,
  { attempts }: FinalOutcome,
): void {
  if (!instead || serving !== null || !REJECTED.has(attempts.at(-1)?.status ?? null)) return
  const isChosen = (model: string): boolean => instead.offers.some((offer) => offer.upstreamModel === model)
  const hasOther = candidates.some(({ offer }) => !isChosen(offer.upstreamModel))
  if (hasOther && attempts.every(({ model }) => isChosen(model)))
    throw new BrokenInvariant(
      'refused',
      `${client} failed at a rule’s model, and the requested one was not called`,
    )
}

/** No model of a provider is called again after another one. */
function checkCalls({ call: { client } }: Run, { attempts }: FinalOutcome): void {
  const called = attempts.map(({ provider, model }) => `${provider}/${model}`)
  const left = called.filter((name, at) => called[at + 1] !== name)
  if (new Set(left).size < left.length)
    throw new BrokenInvariant('rules', `${client} came back to a model: ${called.join(', ')}`)
}

/** Amounts are rounded to the nano-dollar. */
const ROUNDING_USD = 2e-9

/** At most one rule acts on a request, and what is lowered never costs more at the same tokens. */
export function checkRules({ data }: z.infer<typeof RuledRequestList>): void {
  const acting = data.filter(({ shadow, unable }) => !shadow && unable === null)
  if (new Set(acting.map(({ requestId }) => requestId)).size < acting.length)
    throw new BrokenInvariant('rules', 'two rules acted on one request')
  for (const { requestId, changes, savedUsd } of acting) {
    const isMoved = changes.some(({ field }) => field === 'model')
    if (!isMoved && savedUsd !== null && savedUsd < -ROUNDING_USD)
      throw new BrokenInvariant('rules', `a rule made ${requestId} dearer by ${-savedUsd}`)
  }
}

/** The requested model is sent nothing that costs more than what the client has asked for. */
export function checkLowered({ action, bills }: TrackedRequest): void {
  const native = bills.filter(({ model, format }) => model.id === action.model && format === action.format)
  if (native.length === 0) return
  const { path, body } = drawRequest(action)
  const asked = receive(body, path)
  for (const { received, model } of native)
    for (const [what, rate] of Object.entries(RATES))
      if (rate(received, model) > rate(asked, model))
        throw new BrokenInvariant('rules', `request ${action.id} was sent with more ${what} than it asks for`)
}

const efforts: readonly string[] = EFFORTS

/** The members of a request that multiply its price, or add to it. */
const RATES: Readonly<Record<string, (received: ReceivedRequest, model: SimulatedModel) => number>> = {
  'of a tier': ({ tier }, { tierFactors = {} }) => tierFactors[tier ?? ''] ?? 1,
  'of caches': ({ caching }) => (caching === '1h' ? 2 : 1),
  searches: ({ searches }) => searches,
  effort: ({ effort }) => (effort === null ? Infinity : efforts.indexOf(effort)),
  reasoning: ({ budget }) => budget ?? Infinity,
}

/** Only a rule that says so refuses anything. */
export function checkDenied({ seen, action }: TrackedRequest, rules: readonly RuleInput[]): void {
  const mayDeny = rules.some(({ mode, do: actions }) => mode === 'on' && actions.some(isLone))
  if (seen.text.includes('denied_by_rule') && !mayDeny)
    throw new BrokenInvariant('refused', `request ${action.id} is denied, and no rule says so`)
}
