// Owns the list of everything the HTTP API can do: path, scopes and shapes. The gateway binds handlers to it,
// the OpenAPI document is made from it, and the window's client is typed by it. Knows nothing of any of them.
import type { z } from 'zod'
import {
  Account,
  AccountUpdate,
  Backup,
  BackupList,
  BodiesDropped,
  GatewayInfo,
  Health,
  PlanList,
  Settings,
  SettingsUpdate,
} from './account.ts'
import { ChatCompletion, ChatRequest } from './chat.ts'
import { CallingKey, KeyCreate, KeyCreated, KeyList, KeyMetadata, KeyUpdate, type Scope } from './keys.ts'
import { ModelList, ModelOverride, ModelOverrideDropped, ModelQuery, ModelRecord } from './models.ts'
import { Estimate, EstimateRequest, PriceStatus } from './pricing.ts'
import {
  EnvironmentCredentials,
  LocalServers,
  ProviderDropped,
  ProviderList,
  ProviderModels,
  ProviderPut,
  ProviderRecord,
  ProviderTest,
} from './providers.ts'
import {
  LiveEvent,
  RequestBodies,
  RequestList,
  RequestQuery,
  RequestRecord,
  SettleRequest,
  Usage,
  UsageQuery,
} from './requests.ts'

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** OpenAPI notation. `{id+}` matches across slashes: model ids have them. */
  path: string
  summary: string
  /** Scopes that may call it; `public` needs no key. */
  scopes: readonly Scope[] | 'public'
  body?: z.ZodType
  query?: z.ZodType
  response: z.ZodType
  status?: 201
  /** `events`: always server-sent events. `optional-events`: when the body says `stream: true`. */
  streams?: 'events' | 'optional-events'
}

const anyone = ['admin', 'full', 'read-only', 'completions-only'] as const
const inference = ['admin', 'full', 'completions-only'] as const
const reading = ['admin', 'full', 'read-only'] as const
const admin = ['admin'] as const

export const operations = {
  createChatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Create a chat completion, plain or streamed.',
    scopes: inference,
    body: ChatRequest,
    response: ChatCompletion,
    streams: 'optional-events',
  },
  listModels: {
    method: 'GET',
    path: '/v1/models',
    summary: 'List the models that can be served now.',
    scopes: anyone,
    query: ModelQuery,
    response: ModelList,
  },
  getModel: {
    method: 'GET',
    path: '/v1/models/{id+}',
    summary: 'Get one model.',
    scopes: anyone,
    response: ModelRecord,
  },
  putModel: {
    method: 'PUT',
    path: '/v1/models/{id+}',
    summary: 'Add a model, or override what is known of one.',
    scopes: admin,
    body: ModelOverride,
    response: ModelRecord,
  },
  deleteModel: {
    method: 'DELETE',
    path: '/v1/models/{id+}',
    summary: 'Drop the override of a model.',
    scopes: admin,
    response: ModelOverrideDropped,
  },
  getCallingKey: {
    method: 'GET',
    path: '/v1/key',
    summary: 'The calling key itself and what is left of its cap.',
    scopes: anyone,
    response: CallingKey,
  },
  listKeys: {
    method: 'GET',
    path: '/v1/keys',
    summary: 'List all keys, revoked ones included.',
    scopes: admin,
    response: KeyList,
  },
  createKey: {
    method: 'POST',
    path: '/v1/keys',
    summary: 'Create a key. Its secret is in this answer and nowhere else.',
    scopes: admin,
    body: KeyCreate,
    response: KeyCreated,
    status: 201,
  },
  getKey: {
    method: 'GET',
    path: '/v1/keys/{id}',
    summary: "Get one key's metadata.",
    scopes: admin,
    response: KeyMetadata,
  },
  updateKey: {
    method: 'PATCH',
    path: '/v1/keys/{id}',
    summary: "Change a key's name, cap or limits.",
    scopes: admin,
    body: KeyUpdate,
    response: KeyMetadata,
  },
  revokeKey: {
    method: 'DELETE',
    path: '/v1/keys/{id}',
    summary: 'Revoke a key, at once and for good.',
    scopes: admin,
    response: KeyMetadata,
  },
  estimateCost: {
    method: 'POST',
    path: '/v1/pricing/estimate',
    summary: 'Estimate a monthly workload and recommend a plan.',
    scopes: reading,
    body: EstimateRequest,
    response: Estimate,
  },
  listPlans: {
    method: 'GET',
    path: '/v1/plans',
    summary: 'List the plans.',
    scopes: reading,
    response: PlanList,
  },
  listRequests: {
    method: 'GET',
    path: '/v1/requests',
    summary: 'List recorded requests, newest first.',
    scopes: reading,
    query: RequestQuery,
    response: RequestList,
  },
  deleteBodies: {
    method: 'DELETE',
    path: '/v1/requests/bodies',
    summary: 'Delete all kept prompts and answers. The requests stay.',
    scopes: admin,
    response: BodiesDropped,
  },
  getRequest: {
    method: 'GET',
    path: '/v1/requests/{id}',
    summary: 'Get one recorded request: attempts, timings, usage, cost and how it was priced.',
    scopes: reading,
    response: RequestRecord,
  },
  getRequestBodies: {
    method: 'GET',
    path: '/v1/requests/{id}/bodies',
    summary: "A recorded request's prompt and answer, where the settings say to keep them.",
    scopes: admin,
    response: RequestBodies,
  },
  settleRequest: {
    method: 'POST',
    path: '/v1/requests/{id}/settle',
    summary: 'Say what a request cost whose outcome is not known.',
    scopes: admin,
    body: SettleRequest,
    response: RequestRecord,
  },
  getUsage: {
    method: 'GET',
    path: '/v1/usage',
    summary: 'Sum up usage by day, week, month, key, model, provider or client.',
    scopes: reading,
    query: UsageQuery,
    response: Usage,
  },
  getAccount: {
    method: 'GET',
    path: '/v1/account',
    summary: 'The plan, what was spent and the monthly limit.',
    scopes: reading,
    response: Account,
  },
  updateAccount: {
    method: 'PATCH',
    path: '/v1/account',
    summary: 'Change the plan or the monthly limit.',
    scopes: admin,
    body: AccountUpdate,
    response: Account,
  },
  streamEvents: {
    method: 'GET',
    path: '/v1/events',
    summary: 'Server-sent events for what changes.',
    scopes: reading,
    response: LiveEvent,
    streams: 'events',
  },
  listProviders: {
    method: 'GET',
    path: '/v1/providers',
    summary: 'List configured and known providers.',
    scopes: admin,
    response: ProviderList,
  },
  putProvider: {
    method: 'PUT',
    path: '/v1/providers/{id}',
    summary: 'Add a provider or change one.',
    scopes: admin,
    body: ProviderPut,
    response: ProviderRecord,
  },
  deleteProvider: {
    method: 'DELETE',
    path: '/v1/providers/{id}',
    summary: 'Remove a provider, its models and its credential.',
    scopes: admin,
    response: ProviderDropped,
  },
  testProvider: {
    method: 'POST',
    path: '/v1/providers/{id}/test',
    summary: 'Try a provider and its credential.',
    scopes: admin,
    response: ProviderTest,
  },
  fetchProviderModels: {
    method: 'POST',
    path: '/v1/providers/{id}/models',
    summary: "Read the provider's own model list into the catalogue.",
    scopes: admin,
    response: ProviderModels,
  },
  discoverProviders: {
    method: 'POST',
    path: '/v1/providers/discover',
    summary: 'Look for local model servers on their usual ports. Adds nothing.',
    scopes: admin,
    response: LocalServers,
  },
  listEnvironmentCredentials: {
    method: 'GET',
    path: '/v1/providers/environment',
    summary: 'Known providers, not set up yet, whose credential is in an environment variable.',
    scopes: admin,
    response: EnvironmentCredentials,
  },
  importProvider: {
    method: 'POST',
    path: '/v1/providers/{id}/import',
    summary: 'Set up a provider with the credential from its environment variable.',
    scopes: admin,
    response: ProviderRecord,
  },
  getPrices: {
    method: 'GET',
    path: '/v1/prices',
    summary: 'Which price database is used, and how old it is.',
    scopes: reading,
    response: PriceStatus,
  },
  refreshPrices: {
    method: 'POST',
    path: '/v1/prices/refresh',
    summary: 'Fetch the newest price database.',
    scopes: admin,
    response: PriceStatus,
  },
  getSettings: {
    method: 'GET',
    path: '/v1/settings',
    summary: "The gateway's settings.",
    scopes: admin,
    response: Settings,
  },
  updateSettings: {
    method: 'PATCH',
    path: '/v1/settings',
    summary: "Change the gateway's settings.",
    scopes: admin,
    body: SettingsUpdate,
    response: Settings,
  },
  listBackups: {
    method: 'GET',
    path: '/v1/backups',
    summary: 'List the copies of the database.',
    scopes: admin,
    response: BackupList,
  },
  createBackup: {
    method: 'POST',
    path: '/v1/backups',
    summary: 'Copy the database now.',
    scopes: admin,
    response: Backup,
    status: 201,
  },
  restoreBackup: {
    method: 'POST',
    path: '/v1/backups/{id}/restore',
    summary: 'Put a copy in the place of the database at the next start. What is there now is kept aside.',
    scopes: admin,
    response: BackupList,
  },
  cancelRestore: {
    method: 'DELETE',
    path: '/v1/backups/{id}/restore',
    summary: 'Keep the database after all.',
    scopes: admin,
    response: BackupList,
  },
  getGateway: {
    method: 'GET',
    path: '/v1/gateway',
    summary: 'Where the gateway listens and keeps its data.',
    scopes: admin,
    response: GatewayInfo,
  },
  getHealth: {
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the gateway is up.',
    scopes: 'public',
    response: Health,
  },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations
type Op<K extends OperationId> = (typeof operations)[K]

/** The parsed request body of an operation; undefined when it takes none. */
export type BodyOf<K extends OperationId> =
  Op<K> extends { body: infer B extends z.ZodType } ? z.output<B> : undefined
/** What a client may send as the body. */
export type BodyInputOf<K extends OperationId> =
  Op<K> extends { body: infer B extends z.ZodType } ? z.input<B> : undefined
export type QueryOf<K extends OperationId> =
  Op<K> extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined
export type QueryInputOf<K extends OperationId> =
  Op<K> extends { query: infer Q extends z.ZodType } ? z.input<Q> : undefined
export type ResponseOf<K extends OperationId> = z.output<Op<K>['response']>

/** Operations that a client calls for one JSON answer, without reading a stream. */
export type JsonOperationId = Exclude<OperationId, 'createChatCompletion' | 'streamEvents'>
