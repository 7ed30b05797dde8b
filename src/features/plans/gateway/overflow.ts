// What a session is paid with that begins while its plan is used up: if the user wants that, the vendor's API key. With "Plan only",
// nothing is sent that would be charged as extra usage.
import type { Feature } from '../../../gateway/http/calls.ts'
import type { UsageSums } from '../../../gateway/observe/request-log/usage-sums.ts'
import type { PlainHeaders } from '../../../gateway/platform/headers.ts'
import type { PlanMode, RequestMode } from '../../../gateway/request/call.ts'
import type { Arrival, ProviderAnswer, RequestHook } from '../../../gateway/request/run.ts'
import { findVendorOffers } from '../../../gateway/request/select.ts'
import type { PlanWindows } from './plan-windows.ts'

function createHook(plans: PlanWindows): RequestHook {
  return {
    before(arrival) {
      const { mode } = arrival.call
      return mode.kind === 'plan' ? choosePayment(arrival, mode, plans) : undefined
    },
    answered({ call: { mode, key } }, { headers, isRefused }: ProviderAnswer) {
      if (mode.kind !== 'plan') return
      const { providerId: provider } = mode.signIn
      plans.observe({ provider, account: getAccount(mode), keyId: key.id, headers, isRefused })
    },
  }
}

/** A session never changes what it is paid with. Throws 402 for a request that would be charged as extra usage. */
async function choosePayment(arrival: Arrival, mode: PlanMode, plans: PlanWindows): Promise<void> {
  const { call, deps } = arrival
  const { session, key } = call
  const isWanted = deps.settings.value.planOverflow
  session.payer ??= isWanted ? choosePayer(arrival, mode, plans) : Promise.resolve('plan')
  const { providerId } = mode.signIn
  if (isWanted && (await session.payer) === 'key') {
    arrival.call = { ...call, mode: withoutSignIn(mode), overflowFrom: providerId }
    arrival.headers['x-tollgate-plan-overflow'] = providerId
    return
  }
  const refusal = plans.findRefusal(providerId, key.id)
  if (refusal) throw refusal
}

async function choosePayer(arrival: Arrival, mode: PlanMode, plans: PlanWindows): Promise<'plan' | 'key'> {
  const { call, deps, place } = arrival
  const { key, session, tag } = call
  // Without an id of the client's own, a request may be in the middle of a session.
  if (session.stored.clientSessionId === null) return 'plan'
  const payer = await plans.findPayer(session.id)
  if (payer) return payer
  const { providerId: provider } = mode.signIn
  const { model } = call.request
  const usedUp = plans.findUsedUp(model, { provider, account: getAccount(mode), keyId: key.id })
  const offers = usedUp ? findVendorOffers(model, provider, deps) : []
  if (!usedUp || offers.length === 0) return 'plan'
  const subject = { key, ...place, tag, models: offers }
  await deps.spendLimits.readSession(subject)
  const caps = deps.spendLimits.findCaps(subject)
  if (!caps.key && !caps.account) return 'plan'
  plans.announceOverflow(usedUp)
  return 'key'
}

function getAccount({ signIn }: PlanMode): string | null {
  return signIn.headers['chatgpt-account-id'] ?? null
}

function withoutSignIn({ native }: PlanMode): RequestMode {
  return { kind: 'native', native: { ...native, headers: withoutSignInBeta(native.headers) } }
}

const BETA = 'anthropic-beta'

/** The vendor's beta of signing in with a plan is not for API keys. */
function withoutSignInBeta({ [BETA]: betas, ...headers }: PlainHeaders): PlainHeaders {
  const others = betas?.split(',').filter((name) => !name.trim().startsWith('oauth-')) ?? []
  return others.length === 0 ? headers : { ...headers, [BETA]: others.join(',') }
}

/** `usage`: divides the windows among what used them. */
export function createPlans(plans: PlanWindows, usage: UsageSums): Feature {
  return {
    hooks: [createHook(plans)],
    handlers: {
      listPlanStates: () => ({ data: plans.list() }),
      getPlanHistory: ({ id, query }) => plans.history(id, query),
      getPlanShares: ({ id, query }) => usage.divideWindows(plans.listOpen(id), query.by),
    },
    start: () => plans.start(),
    close: () => plans.close(),
  }
}
