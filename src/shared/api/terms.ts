// The closed sets and small rules of the API, apart from its schemas: the window reads them at its start, and the store's threads
// load no schemas.

import { APPROVAL_ALERTS } from '../../features/approvals/api/terms.ts'
import { BATCH_ALERTS } from '../../features/batches/api/terms.ts'

export const REQUEST_STATUSES = ['running', 'succeeded', 'failed', 'canceled', 'refused', 'rejected'] as const

export const COST_STATUSES = [
  'pending',
  'exact',
  'estimated',
  'unsettled',
  'confirmed',
  'unknown',
  'free',
  'plan',
  'cached',
] as const

export const REQUEST_SORTS = ['time', 'cost', 'duration', 'tokens'] as const
export const SORT_ORDERS = ['desc', 'asc'] as const

const CHAT_CAPABILITIES = ['vision', 'tools', 'json', 'reasoning', 'streaming'] as const
/** The capabilities of models that do not chat. */
const OTHER_CAPABILITIES = [
  'embeddings',
  'moderation',
  'rerank',
  'images',
  'transcription',
  'speech',
] as const
export const CAPABILITIES = [...CHAT_CAPABILITIES, ...OTHER_CAPABILITIES] as const

/** Whether a model answers chats, as far as its capabilities say: some only make embeddings, images and the like. */
export function isChatModel({ capabilities }: { capabilities: readonly string[] }): boolean {
  const others: readonly string[] = OTHER_CAPABILITIES
  return capabilities.length === 0 || !capabilities.every((each) => others.includes(each))
}

export const ERROR_TYPES = [
  'rate_limit_exceeded',
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'insufficient_quota',
  'upstream_error',
  'server_error',
] as const

/** The sources of a session's identity. */
export const SESSION_SOURCES = [
  'claude-code',
  'codex',
  'opencode',
  'header',
  'user',
  'metadata',
  'pause',
] as const

/** The purposes of an agent's requests. */
export const AGENT_ROLES = ['main', 'subagent', 'workflow', 'compaction', 'auxiliary'] as const

/** The types of live events that tell the user something, wherever they look. */
export const ALERT_TYPES = [
  'cap-alert',
  'guard-alert',
  'plan-alert',
  ...APPROVAL_ALERTS,
  ...BATCH_ALERTS,
] as const

export type AlertType = (typeof ALERT_TYPES)[number]

export function isAlert<E extends { type: string }>(event: E): event is Extract<E, { type: AlertType }> {
  return ALERT_TYPES.some((type) => type === event.type)
}

/** The dimensions by which usage can be divided. */
export const USAGE_SPLITS = ['key', 'model', 'provider', 'client', 'tag', 'session'] as const
/** Groups of usage that are counted from the records of requests, and cannot be divided further. */
export const GIT_GROUPS = ['branch', 'commit'] as const

/**
 * What a request asked of its model besides text: stored with the request as a sum of these, because they decide which other
 * models could have served it. The numbers are in databases: none may change.
 */
export const REQUEST_NEEDS = {
  vision: 1,
  tools: 2,
  json: 4,
  /** Something that only the API of its provider has, such as a tool that the provider runs. */
  ownApi: 8,
} as const

/** Long enough for a user to recognize the key in a file, and too short to help anyone guess it. */
export const HINT_LENGTH = 4

/** Returns the part of a secret that is stored in clear. */
export function createSecretHint(secret: string): string {
  return secret.slice(-HINT_LENGTH)
}

/** The id of the provider that is built in. */
export const SANDBOX_ID = 'sandbox'

/** Whether costs at this provider are samples: they show how costs work, and are not billed. */
export function hasSamplePrices(provider: string | null): boolean {
  return provider === SANDBOX_ID
}

/** The providers that a client calls with the sign-in of its own plan, and the vendor that the plan is from. */
export const PLAN_VENDORS: Readonly<Record<string, string>> = {
  'claude-plan': 'Claude',
  'chatgpt-plan': 'ChatGPT',
}

/** Whether requests to this provider are paid by a plan of the user, so that none is billed by itself. */
export function isPlan(provider: string | null): boolean {
  return provider !== null && Object.hasOwn(PLAN_VENDORS, provider)
}

/** Whether prompts and answers of requests that end at `now` are stored, for keys without a choice of their own. */
export function storesBodies(
  { storeBodies, storeBodiesUntil }: { storeBodies: boolean; storeBodiesUntil: string | null },
  now: number,
): boolean {
  return storeBodies || (storeBodiesUntil !== null && now < Date.parse(storeBodiesUntil))
}

/** The cost of running requests so far, in USD, without samples, which are in no sum. */
export function sumBilled(running: readonly { provider: string; costUsd: number | null }[]): number {
  return running.reduce(
    (sum, { provider, costUsd }) => sum + (hasSamplePrices(provider) ? 0 : (costUsd ?? 0)),
    0,
  )
}

/** The period of the limit that has a short name: the cap of a key, and the monthly limit of the account. */
export const MAIN_PERIOD = { key: 'lifetime', account: 'month' } as const
export type MainPeriod = (typeof MAIN_PERIOD)[keyof typeof MAIN_PERIOD]

interface LimitWords {
  per: string
  window?: string | undefined
  model?: string | undefined
  tag?: string | undefined
  action?: string | undefined
}

/** Whether it stops all spend of the period. */
export function isMain({ per, window, model, tag, action }: LimitWords, period: MainPeriod): boolean {
  const isPlain = window !== 'rolling' && model === undefined && tag === undefined
  return per === period && isPlain && (action === undefined || action === 'stop')
}
