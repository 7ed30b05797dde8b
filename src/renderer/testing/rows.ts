// Rows as the gateway sends them, for tests. Tests pass only the fields that matter.

import type { CachingReport } from '../../features/prompt-doctor/api/caching.ts'
import type { Rehearsal } from '../../features/rules/api/rehearsal.ts'
import type { Telemetry } from '../../features/telemetry/api/telemetry.ts'
import type {
  Account,
  AccountUpdate,
  GatewayInfo,
  NetworkStatus,
  Plan,
  Settings,
} from '../../shared/api/account.ts'
import type { ActivityEntry } from '../../shared/api/activity.ts'
import type { HistoryState } from '../../shared/api/history.ts'
import { NO_KEY_OPTIONS } from '../../shared/api/key-options.ts'
import type { KeyMetadata, KeyUpdate } from '../../shared/api/keys.ts'
import { findMain, mergeLimits } from '../../shared/api/main-limit.ts'
import type { ModelRecord } from '../../shared/api/models.ts'
import type { PriceStatus } from '../../shared/api/pricing.ts'
import type { ProviderRecord } from '../../shared/api/providers.ts'
import type { RequestTotals } from '../../shared/api/request-queries.ts'
import type { RequestBodies, RequestRecord, RunningRequest, StoredChat } from '../../shared/api/requests.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { MAIN_PERIOD } from '../../shared/api/terms.ts'
import type { UsageRow } from '../../shared/api/usage.ts'
import { noUsage } from '../data/periods.ts'

const CREATED_AT = '2026-11-01T09:00:00.000Z'

/** A small successful request, `second` seconds after noon of 21 November 2026. */
export function requestRow(id: string, second: number, part: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id,
    createdAt: new Date(Date.UTC(2026, 10, 21, 12, 0, second)).toISOString(),
    keyId: 'key_1',
    keyName: 'SDK',
    requestedModel: 'sandbox-small',
    model: 'sandbox-small',
    provider: 'sandbox',
    stream: false,
    status: 'succeeded',
    httpStatus: 200,
    error: null,
    tokensIn: 1,
    tokensOut: 1,
    usage: null,
    costUsd: 0,
    worthUsd: null,
    savedUsd: null,
    sample: false,
    costStatus: 'exact',
    costLowUsd: null,
    costHighUsd: null,
    reservedUsd: 0,
    heldUsd: null,
    heldUntil: null,
    price: null,
    attempts: [],
    timings: { queueMs: 0, firstByteMs: 1, totalMs: 2 },
    client: null,
    clientName: null,
    endpoint: null,
    sessionId: null,
    agent: null,
    prompt: null,
    batch: null,
    overflowFrom: null,
    rules: null,
    secrets: null,
    credential: null,
    finishReason: 'stop',
    tag: null,
    count: 1,
    lastAt: null,
    bodiesKept: false,
    ...part,
  }
}

export function runningRow(id: string, part: Partial<RunningRequest> = {}): RunningRequest {
  return {
    id,
    createdAt: new Date(Date.UTC(2026, 10, 21, 12, 0, 0)).toISOString(),
    keyId: 'key_1',
    keyName: 'SDK',
    requestedModel: 'gpt-5',
    model: 'gpt-5',
    provider: 'openai',
    elapsedMs: 2_000,
    tokensIn: 1_200,
    tokensOut: 340,
    costUsd: 0.05,
    reservedUsd: 0.31,
    ...part,
  }
}

export const requestTotals: RequestTotals = {
  requests: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  costUsd: 0,
  worthUsd: 0,
  savedUsd: 0,
  unpriced: 0,
  unsettled: 0,
}

/** A session of Claude Code with two requests, from 14:02 to 14:07 of 21 November 2026. */
export function sessionRow(id: string, part: Partial<Session> = {}): Session {
  return {
    id,
    source: 'claude-code',
    clientSessionId: null,
    title: null,
    keyId: 'key_1',
    keyName: 'SDK',
    clientName: 'claude-cli',
    tag: null,
    startedAt: '2026-11-21T14:02:00.000Z',
    lastAt: '2026-11-21T14:07:00.000Z',
    requests: 2,
    running: 0,
    errors: 0,
    refused: 0,
    tokensIn: 2000,
    tokensOut: 500,
    tokensCached: 1500,
    costUsd: 0.5,
    sampleUsd: 0,
    worthUsd: 0,
    savedUsd: 0,
    unpriced: 0,
    branches: [],
    models: ['claude-sonnet-4-5'],
    prunedRequests: 0,
    ...part,
  }
}

export function keyRow(id: string, part: Partial<KeyMetadata> = {}): KeyMetadata {
  const { spendLimitUsd, ...others } = part
  const key: KeyMetadata = {
    id,
    name: id,
    scope: 'completions-only',
    purpose: 'user',
    secretHint: null,
    createdAt: CREATED_AT,
    lastUsedAt: null,
    revokedAt: null,
    spendUsd: 0,
    reservedUsd: 0,
    ...NO_KEY_OPTIONS,
    ...others,
  }
  return patchKey(key, { spendLimitUsd })
}

export function modelRow(id: string, part: Partial<ModelRecord> = {}): ModelRecord {
  return {
    id,
    object: 'model',
    type: 'model',
    created: 0,
    created_at: CREATED_AT,
    owned_by: 'openai',
    name: id,
    display_name: id,
    provider: 'openai',
    providers: ['openai'],
    contextWindow: 128_000,
    maxOutputTokens: 16_000,
    pricing: { inputPerMillion: 2, outputPerMillion: 8 },
    priceOrigin: { source: 'database', match: 'exact', asOf: '2026-11-01' },
    capabilitiesKnown: true,
    retirement: null,
    capabilities: ['tools', 'streaming'],
    fallbacks: [],
    enabled: true,
    overridden: false,
    override: null,
    ...part,
  }
}

export function providerRow(id: string, part: Partial<ProviderRecord> = {}): ProviderRecord {
  return {
    id,
    name: id,
    apiFormat: 'openai-chat',
    baseUrl: `https://api.${id}.example/v1`,
    configured: true,
    enabled: true,
    hasCredential: true,
    credentialCount: 1,
    spreadSessions: false,
    needsCredential: true,
    authorization: 'bearer',
    authorizations: [],
    address: null,
    local: false,
    priority: 0,
    connectTimeoutMs: 10_000,
    firstByteTimeoutMs: 60_000,
    stallTimeoutMs: 60_000,
    totalTimeoutMs: 600_000,
    network: null,
    promptCache: true,
    webSocket: null,
    headerNames: [],
    modelCount: 1,
    modelsFetchedAt: CREATED_AT,
    consoleUrl: null,
    health: { state: 'ready', until: null, lastError: null, lastErrorAt: null },
    ...part,
  }
}

export function usageRow(group: string, part: Partial<UsageRow> = {}): UsageRow {
  return { group, label: group, ...noUsage, requests: 1, tokensIn: 100, tokensOut: 50, costUsd: 0.5, ...part }
}

/** The state after an import of one tool. */
export const importedHistory: HistoryState = {
  found: [{ tool: 'claude-code', name: 'Claude Code' }],
  imported: [
    {
      ...{
        tool: 'claude-code',
        name: 'Claude Code',
        origin: 'import',
        calls: 7,
        tokensIn: 700,
        tokensOut: 350,
      },
      ...{ costUsd: 50, unpriced: 0, metered: 0, repeated: 0, uncertain: 0 },
      ...{ firstAt: '2026-10-01T00:00:00.000Z', lastAt: '2026-11-01T00:00:00.000Z' },
    },
  ],
  running: null,
  expiring: null,
  last: null,
}

export const account: Account = {
  plan: 'pay-as-you-go',
  spendUsd: 12,
  reservedUsd: 0,
  monthSpendUsd: 3,
  monthlyLimitUsd: null,
  monthStartsAt: '2026-11-01T00:00:00.000Z',
  monthResetsAt: '2026-12-01T00:00:00.000Z',
  todaySpendUsd: 0.5,
  spendLimits: [],
  timeZone: 'UTC',
  pausedAt: null,
}

/** The account with a monthly limit after its other limits. */
export function accountWithLimit(monthlyLimitUsd: number, part: Partial<Account> = {}): Account {
  return patchAccount({ ...account, ...part }, { monthlyLimitUsd })
}

/** The key after an update, as the gateway answers it. */
export function patchKey(
  key: KeyMetadata,
  { spendLimitUsd, spendLimits: limits, ...fields }: KeyUpdate,
): KeyMetadata {
  const merged = mergeLimits(key.spendLimits, { mainUsd: spendLimitUsd, limits }, MAIN_PERIOD.key)
  const state = { spentUsd: key.spendUsd, reservedUsd: key.reservedUsd, resetsAt: null }
  const spendLimits = merged.map((limit) => ({ ...state, ...limit }))
  const cap = findMain(spendLimits, MAIN_PERIOD.key)?.usd ?? null
  return { ...key, ...(fields as Partial<KeyMetadata>), spendLimits, spendLimitUsd: cap }
}

/** The account after an update, as the gateway answers it. */
export function patchAccount(
  present: Account,
  { monthlyLimitUsd, spendLimits: limits, ...fields }: AccountUpdate,
): Account {
  const merged = mergeLimits(present.spendLimits, { mainUsd: monthlyLimitUsd, limits }, MAIN_PERIOD.account)
  const { monthSpendUsd: spentUsd, reservedUsd, monthResetsAt: resetsAt } = present
  const spendLimits = merged.map((limit) => ({ spentUsd, reservedUsd, resetsAt, ...limit }))
  const main = findMain(spendLimits, MAIN_PERIOD.account)?.usd ?? null
  return { ...present, ...(fields as Partial<Account>), spendLimits, monthlyLimitUsd: main }
}

export const plans: Plan[] = [
  {
    id: 'pay-as-you-go',
    name: 'Pay as you go',
    monthlyUsd: 0,
    discountPercent: 0,
    requestsPerMinute: 600,
    tokensPerMinute: 1_000_000,
  },
  {
    id: 'bundle',
    name: 'Bundle',
    monthlyUsd: 99,
    discountPercent: 20,
    requestsPerMinute: 6000,
    tokensPerMinute: 10_000_000,
  },
]

export const settings: Settings = {
  allowedOrigins: [],
  containerAccess: false,
  storeBodies: false,
  storeBodiesUntil: null,
  keepHistory: false,
  retentionDays: 90,
  maxLogMb: 1024,
  timeZone: null,
  planLimits: {},
  durability: 'standard',
  strictLimits: false,
  askSeconds: 240,
  notifyAtPercent: [80, 100],
  planNotifyAtPercent: [80, 95],
  planResetNoticeMinutes: null,
  planOnly: false,
  planOverflow: false,
  guard: { enabled: true, sensitivity: 'standard' },
  network: 'direct',
}

export const gatewayInfo: GatewayInfo = {
  version: '0.1.0',
  baseUrl: 'http://127.0.0.1:8655',
  dataDir: '/home/user/.tollgate',
  credentials: 'keychain',
  startedAt: CREATED_AT,
  containers: { enabled: false, baseUrl: null, problem: null },
  clockSkewMs: null,
}

export const noRehearsal: Rehearsal = {
  ...{ from: CREATED_AT, timeZone: 'UTC', requests: 1_200, imported: 0, changed: 0, days: 0, firstAt: null },
  ...{ beforeUsd: 40, afterUsd: 40, savedUsd: 0, rewriteUsd: 0, unpriced: 0, unknown: 0, data: [] },
}

export const prices: PriceStatus = { source: 'package', asOf: '2026-11-01', stale: false, modelCount: 1200 }

export const telemetry: Telemetry = {
  endpoint: null,
  traces: true,
  metrics: true,
  includePrompts: false,
  headerNames: [],
  activeEndpoint: null,
  lastExportAt: null,
  lastProblem: null,
  spansSent: 0,
  spansLost: 0,
}

export const networkStatus: NetworkStatus = { isUsed: false, proxies: [], certificateProblem: null }

/** An entry of the activity history of 21 November 2026 at noon, about nothing. */
export function activityEntry(id: string, part: Partial<ActivityEntry>): ActivityEntry {
  return {
    id,
    kind: 'all-paused',
    at: '2026-11-21T12:00:00.000Z',
    actor: { kind: 'gateway', id: null, name: null },
    subject: null,
    limit: null,
    spentUsd: null,
    limitUsd: null,
    previousLimitUsd: null,
    models: null,
    since: null,
    reason: null,
    address: null,
    unread: false,
    ...part,
  }
}

/** A stored chat and its answers, with the bodies of a chat completion. */
export function storedBodies(
  request: Partial<StoredChat['request']>,
  answers: StoredChat['answers'] = [],
): RequestBodies {
  const whole = { model: 'gpt', messages: [], ...request }
  return {
    requestId: 'req_1',
    request: JSON.stringify(whole),
    response: JSON.stringify({ choices: answers.map((message) => ({ message })) }),
    chat: { request: whole, answers, error: null, complete: true },
  }
}

const noShare = { share: 0, usd: 0 }

export function caching(part: Partial<CachingReport> = {}): CachingReport {
  return {
    ...{ requests: 0, promptUsd: 0, savedUsd: 0, lostUsd: 0, breaks: 0, rewriteFactor: null },
    parts: { system: noShare, tools: noShare, history: noShare, results: noShare, media: noShare },
    tools: { perRequest: 0, called: 0 },
    ...{ servers: [], results: [], causes: [], weeks: [], clients: [], sessions: [] },
    ...part,
  }
}
