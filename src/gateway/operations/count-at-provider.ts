import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { NativeRequest, Target } from '../formats/chat/codec-types.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { codecFor } from '../formats/codecs.ts'
import type { KeyState } from '../keys/key-state.ts'
import { createTarget } from '../models/catalog/targets.ts'
import { countPromptTokens } from '../models/tokens/token-counter.ts'
import { GatewayError } from '../platform/errors.ts'
import type { PlanMode } from '../request/call.ts'
import { readCredential } from '../request/dispatch.ts'
import { findPause } from '../request/in-flight.ts'
import { encodeVerbatim } from '../request/lane.ts'
import type { InferenceDeps } from '../request/run.ts'
import { allowedOffers, findPlanOffers, withoutPlans } from '../request/select.ts'
import { toClientError } from '../upstream/client-error.ts'
import type { RequestTrace } from '../upstream/request-trace.ts'

/**
 * Counts the tokens of a prompt in the vocabulary that is used for charges without reported usage. Throws 404 for an unknown
 * model.
 */
export async function countTokens(
  request: ChatRequest,
  { catalog, providerModels, tokens }: Pick<InferenceDeps, 'catalog' | 'providerModels' | 'tokens'>,
): Promise<number> {
  if (!catalog.knows(request.model)) await providerModels.refreshMissing()
  catalog.get(request.model)
  return await countPromptTokens(request, (text) => tokens.count(text))
}

// Has a provider count the tokens of a prompt that is not sent to a model. It costs nothing, so it is not in the ledger.

export interface CountCall {
  native: NativeRequest
  /** Set when the vendor of the client counts for a plan: no other provider is asked. */
  plan?: PlanMode | undefined
  key: KeyState
  /** As of a call of a model. */
  trace: RequestTrace | null
}

/** Some servers of a format do not count tokens. */
const NOT_SERVED: ReadonlySet<number | null> = new Set([404, 405, 501])

/**
 * The unchanged answer of the model's first provider of the client's own format; undefined if there is none that counts.
 * Throws GatewayError for an unknown model, at the rate limit, while paused, and for what the provider rejects.
 */
export async function countAtProvider(
  { native, plan, key, trace }: CountCall,
  deps: InferenceDeps,
): Promise<unknown> {
  const { account, catalog, providers, providerModels, limits } = deps
  const paused = findPause(key, account)
  if (paused) throw paused
  const { chatRequest: request, format: clientFormat } = native
  const { model } = request
  trace?.describe(request)
  if (!plan && !catalog.knows(model)) await providerModels.refreshMissing()
  const routed = plan ? findPlanOffers(model, plan.signIn, deps) : withoutPlans(catalog.route(model).offers)
  const offers = allowedOffers(routed, key, model)
  limits.admit(key, 0)
  const { json, body } = native
  for (const hook of deps.hooks)
    hook.beforePrompt?.({ key, purpose: 'count', json, body: plan?.bytes ?? Buffer.from(body) })
  const wish = { request, clientFormat, keyId: key.id, sessionId: null }
  const targets = offers
    .filter(({ providerId }) => providers.isConfigured(providerId))
    .map((offer) => createTarget(offer, wish, deps))
  const target = targets.find(({ apiFormat }) => apiFormat === clientFormat)
  return target && (await forward({ native, plan, target, trace: plan ? null : trace }, deps))
}

/** Undefined if the provider does not count. */
async function forward(
  { native, plan, target, trace }: Pick<CountCall, 'native' | 'plan' | 'trace'> & { target: Target },
  { adapterFor, providers }: InferenceDeps,
): Promise<unknown> {
  const encoded = plan
    ? encodeVerbatim(plan, '/messages/count_tokens')
    : codecFor(target).native?.countTokens?.(native, target)
  if (!encoded) return undefined
  const attempt = trace?.startAttempt(target)
  try {
    const [first = 0] = target.credentialOrder
    const credential = await readCredential(target, first, { providers, signIn: plan?.signIn ?? null })
    const { signal } = new AbortController()
    const call = { target, encoded, credential, signal, trace: attempt?.headers }
    const answer = await adapterFor(target.apiFormat).forward?.(call)
    attempt?.ended(null)
    return answer
  } catch (error) {
    attempt?.ended(error instanceof UpstreamFailure ? error : null)
    if (!(error instanceof UpstreamFailure)) throw error
    if (error.kind === 'status' && NOT_SERVED.has(error.status)) return undefined
    const { retryAfterSeconds, ...detail } = toClientError(error)
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
    throw new GatewayError({ ...detail, headers })
  }
}
