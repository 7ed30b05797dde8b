// The facts of a request that comes, each computed when a rule first needs it.

import { readSentContent } from '../../../gateway/formats/chat/sent-content.ts'
import { estimatePromptTokens } from '../../../gateway/models/tokens/token-counter.ts'
import type { LineOrRequest } from '../../../gateway/request/run.ts'
import type { Limit } from '../../../gateway/spend/limit.ts'
import type { PlanState } from '../../../shared/api/plans.ts'
import { getLocalTime } from '../../../shared/values/calendar.ts'
import { clientName } from '../../../shared/values/client-name.ts'
import type { RequestFacts, StateFacts } from '../api/facts.ts'
import { type CallerKind, PREMIUMS, type Premium } from '../api/terms.ts'
import { describeSent } from './effect.ts'
import { findPremiums } from './premium-fields.ts'
import { readEffort } from './reduce.ts'
import type { StoredFacts } from './rule-rows.ts'

export interface FactsDeps {
  plans: { list(): PlanState[] }
}

export function createFacts(arrival: LineOrRequest, { plans }: FactsDeps): RequestFacts {
  const { call, deps, createdAt } = arrival
  const { zone } = deps.account.counters
  const lazy = {
    providerId: once(() => findProvider(arrival)),
    caller: once(() => findCaller(call)),
    effort: once(() => readEffort(describeSent(call).json)),
    premiums: once(() => [
      ...new Set(findPremiums(describeSent(call), PREMIUMS).map(({ premium }) => premium)),
    ]),
    used: once(() => readUsed(arrival)),
    planPercent: once(() => readPlans(plans.list(), createdAt)),
    promptTokens: once(() => estimateTokens(call)),
    time: once(() => getLocalTime(createdAt, zone)),
  }
  return {
    keyId: call.key.id,
    model: call.request.model,
    program: clientName(call.client),
    tag: call.tag,
    get providerId() {
      return lazy.providerId()
    },
    get caller() {
      return lazy.caller()
    },
    get effort() {
      return lazy.effort()
    },
    get premiums(): readonly Premium[] {
      return lazy.premiums()
    },
    get keyPercent() {
      return lazy.used().keyPercent
    },
    get accountPercent() {
      return lazy.used().accountPercent
    },
    get planPercent() {
      return lazy.planPercent()
    },
    get promptTokens() {
      return lazy.promptTokens()
    },
    get minute() {
      return lazy.time().minute
    },
    get weekday() {
      return lazy.time().weekday
    },
  }
}

function once<T>(compute: () => T): () => T {
  let known: { value: T } | null = null
  return () => {
    known ??= { value: compute() }
    return known.value
  }
}

/** The facts that change, as they are now. */
export function pickState(facts: StateFacts): StateFacts {
  const { keyPercent, accountPercent, planPercent, promptTokens, minute, weekday } = facts
  return { keyPercent, accountPercent, planPercent, promptTokens, minute, weekday }
}

export function pickStored(facts: RequestFacts): StoredFacts {
  const { caller, effort, premiums } = facts
  return { ...pickState(facts), caller, effort, premiums }
}

function findProvider({ call: { request }, deps: { catalog } }: LineOrRequest): string {
  return catalog.knows(request.model) ? (catalog.route(request.model).offers[0]?.providerId ?? '') : ''
}

/** A single question without tools is a side call, such as one for the title of a session. */
function findCaller({ agent, request }: Pick<LineOrRequest['call'], 'agent' | 'request'>): CallerKind {
  if (agent?.role === 'auxiliary') return 'side'
  if (agent !== null && agent.id !== null) return 'subagent'
  if (agent?.role === 'subagent' || agent?.role === 'workflow') return 'subagent'
  const { messages, tools } = request
  const isSingle = !tools?.length && !messages.some(({ role }) => role === 'assistant' || role === 'tool')
  return isSingle && agent?.role !== 'compaction' ? 'side' : 'main'
}

function readUsed({ call, deps, place }: LineOrRequest): Pick<StateFacts, 'keyPercent' | 'accountPercent'> {
  const { key, tag, request } = call
  const models = deps.catalog.knows(request.model) ? deps.catalog.route(request.model).offers : []
  const { all } = deps.spendLimits.findFor({ key, ...place, tag, models })
  return {
    keyPercent: findMost(all.filter((limit) => limit.key !== null)),
    accountPercent: findMost(all.filter((limit) => limit.key === null)),
  }
}

function findMost(limits: readonly Limit[]): number | null {
  if (limits.length === 0) return null
  return Math.max(
    ...limits.map(({ spentNano, limitNano }) => (limitNano > 0 ? (spentNano / limitNano) * 100 : 100)),
  )
}

/** A window that has reset is unknown until its next report. */
function readPlans(plans: readonly PlanState[], now: number): number | null {
  const used = plans
    .flatMap(({ windows }) => windows)
    .flatMap(({ utilization, resetsAt }) => {
      const isOpen = resetsAt === null || Date.parse(resetsAt) > now
      return utilization !== null && isOpen ? [utilization * 100] : []
    })
  return used.length === 0 ? null : Math.max(...used)
}

function estimateTokens({ mode, body, request }: LineOrRequest['call']): number {
  if (mode.kind === 'raw') return mode.passThrough.aboutTokens
  const isNative = mode.kind === 'native' || mode.kind === 'plan'
  const bytes = isNative ? Buffer.byteLength(mode.native.body) : body.byteLength
  const { images } = isNative
    ? readSentContent(mode.native.format, mode.native.json)
    : readSentContent('openai-chat', request)
  return estimatePromptTokens(bytes, images)
}
