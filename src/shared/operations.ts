// Everything the HTTP API can do: paths, scopes and schemas. The gateway's handlers, the OpenAPI document and the window's
// client are all typed by this table.
import type { z } from 'zod'
import {
  Account,
  AccountUpdate,
  Backup,
  BackupList,
  DeletedBodies,
  GatewayInfo,
  Health,
  PlanList,
  Settings,
  SettingsUpdate,
} from './account.ts'
import { ChatRequest } from './chat.ts'
import { ChatCompletion } from './chat-completion.ts'
import { LiveEvent } from './events.ts'
import {
  CountTokensRequest,
  CountTokensResponse,
  GeminiModel,
  GeminiModelList,
  GenerateContentRequest,
  GenerateContentResponse,
} from './gemini.ts'
import { CallingKey, KeyCreate, KeyCreated, KeyList, KeyMetadata, KeyUpdate, type Scope } from './keys.ts'
import { CountMessageTokensRequest, Hello, Message, MessagesRequest, TokenCount } from './messages.ts'
import { DeletedModelOverride, ModelList, ModelOverride, ModelQuery, ModelRecord } from './models.ts'
import {
  Audio,
  EmbeddingList,
  EmbeddingRequest,
  ImageList,
  ImageRequest,
  Moderation,
  ModerationRequest,
  RerankRequest,
  RerankResult,
  SpeechRequest,
  Transcription,
  TranscriptionRequest,
} from './pass-through.ts'
import { Estimate, EstimateRequest, PriceStatus } from './pricing.ts'
import {
  DeletedProvider,
  EnvironmentCredentials,
  LocalServers,
  ProviderList,
  ProviderModels,
  ProviderPut,
  ProviderRecord,
  ProviderTest,
} from './providers.ts'
import { RequestBodies, RequestList, RequestQuery, RequestRecord, SettleRequest } from './requests.ts'
import {
  DeletedResponse,
  ResponseEvent,
  ResponseItems,
  ResponseItemsQuery,
  ResponseObject,
  ResponseQuery,
  ResponseRequest,
} from './responses.ts'
import { TextCompletion, TextCompletionRequest } from './text-completion.ts'
import { Usage, UsageQuery } from './usage.ts'

export const TAGS = [
  'Chat completions',
  'Messages',
  'Text completions',
  'Responses',
  'Gemini API',
  'Embeddings, images and audio',
  'Models',
  'API keys',
  'Requests',
  'Usage',
  'Account',
  'Estimates',
  'Providers',
  'Prices',
  'Settings',
  'Backups',
  'Events',
  'Gateway',
] as const
type Tag = (typeof TAGS)[number]

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** OpenAPI notation. `{id+}` matches across slashes: model ids have them. */
  path: string
  /** Paths of the same operation in other versions of its API. */
  otherPaths?: readonly string[]
  /** Of several operations with a path in `otherPaths`, the one that a request with this header gets. */
  header?: string
  tag: Tag
  summary: string
  description?: string
  /** Scopes that may call it; `public` needs no key. */
  scopes: readonly Scope[] | 'public'
  body?: z.ZodType
  query?: z.ZodType
  response: z.ZodType
  status?: 201
  /** Error statuses beyond those that follow from the method, path, body and scopes. */
  errors?: readonly number[]
  /** `events`: always server-sent events. `optional-events`: when the body says `stream: true`. */
  streams?: 'events' | 'optional-events'
  /** The answer is a provider's, as it came. */
  rawAnswer?: true
  /** The data of each event, if it is neither `response` nor a chunk of a chat completion. */
  event?: z.ZodType
  /** The body is `multipart/form-data` instead of JSON. `body` has its texts, and of a file the size. */
  form?: true
}

const anyone = ['admin', 'full', 'read-only', 'completions-only'] as const
const inference = ['admin', 'full', 'completions-only'] as const
const reading = ['admin', 'full', 'read-only'] as const
const admin = ['admin'] as const

/** What operations have in common whose requests and answers go as they came to a provider and back. */
const passedThrough = {
  description:
    'The request goes to the provider as it came, except for the name of the model, and the answer back as it comes. ' +
    'It is limited, metered and recorded like a chat completion.',
  scopes: inference,
  rawAnswer: true,
  errors: [402, 404, 408, 429, 504],
} as const

export const operations = {
  createChatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    tag: 'Chat completions',
    summary: 'Create a chat completion',
    description:
      'The response is one JSON object or, with `stream: true`, a stream of server-sent events. A stream that fails ends with an event that has `error` instead of `choices`.',
    scopes: inference,
    body: ChatRequest,
    response: ChatCompletion,
    streams: 'optional-events',
    errors: [402, 404, 408, 429, 504],
  },
  createMessage: {
    method: 'POST',
    path: '/v1/messages',
    tag: 'Messages',
    summary: 'Create a message',
    description:
      "Anthropic's Messages API. The response is one JSON object or, with `stream: true`, a stream of server-sent events. Errors have Anthropic's format.",
    scopes: inference,
    body: MessagesRequest,
    response: Message,
    streams: 'optional-events',
    errors: [402, 404, 408, 429, 504],
  },
  countMessageTokens: {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    tag: 'Messages',
    summary: 'Count the tokens of a message',
    description:
      "A provider with Anthropic's Messages API counts them itself; for other providers the count is an estimate. It costs nothing.",
    scopes: inference,
    body: CountMessageTokensRequest,
    response: TokenCount,
    errors: [404, 408, 429, 504],
  },
  createCompletion: {
    method: 'POST',
    path: '/v1/completions',
    tag: 'Text completions',
    summary: 'Complete a text',
    description: "OpenAI's older API. Providers without it are sent a chat completion.",
    scopes: inference,
    body: TextCompletionRequest,
    response: TextCompletion,
    streams: 'optional-events',
    event: TextCompletion,
    errors: [402, 404, 408, 429, 504],
  },
  createFimCompletion: {
    method: 'POST',
    path: '/v1/fim/completions',
    tag: 'Text completions',
    summary: 'Fill in the middle of a text',
    description: "Mistral's API for editors. Its answer is a chat completion.",
    scopes: inference,
    body: TextCompletionRequest,
    response: ChatCompletion,
    streams: 'optional-events',
    errors: [402, 404, 408, 429, 504],
  },
  generateContent: {
    method: 'POST',
    path: '/v1beta/models/{id+}:generateContent',
    otherPaths: ['/v1/models/{id+}:generateContent'],
    tag: 'Gemini API',
    summary: 'Generate content',
    description: 'Also at `/v1/models/{id}:generateContent`.',
    scopes: inference,
    body: GenerateContentRequest,
    response: GenerateContentResponse,
    errors: [402, 404, 408, 429, 504],
  },
  streamGenerateContent: {
    method: 'POST',
    path: '/v1beta/models/{id+}:streamGenerateContent',
    otherPaths: ['/v1/models/{id+}:streamGenerateContent'],
    tag: 'Gemini API',
    summary: 'Generate content as a stream',
    description:
      'Server-sent events with `?alt=sse`, otherwise one JSON array that is sent element by element. A stream that fails ends with an element that has `error`. Also at `/v1/models/{id}:streamGenerateContent`.',
    scopes: inference,
    body: GenerateContentRequest,
    response: GenerateContentResponse,
    streams: 'events',
    errors: [402, 404, 408, 429, 504],
  },
  countGeminiTokens: {
    method: 'POST',
    path: '/v1beta/models/{id+}:countTokens',
    otherPaths: ['/v1/models/{id+}:countTokens'],
    tag: 'Gemini API',
    summary: 'Count tokens',
    description:
      'Google counts for its own models; for other providers the count is an estimate. It costs nothing. Also at `/v1/models/{id}:countTokens`.',
    scopes: inference,
    body: CountTokensRequest,
    response: CountTokensResponse,
    errors: [404, 408, 429, 504],
  },
  listGeminiModels: {
    method: 'GET',
    path: '/v1beta/models',
    otherPaths: ['/v1/models'],
    header: 'x-goog-api-key',
    tag: 'Gemini API',
    summary: 'List models as the Gemini API does',
    description: 'Also at `/v1/models`, for requests with the header `x-goog-api-key`.',
    scopes: anyone,
    response: GeminiModelList,
  },
  getGeminiModel: {
    method: 'GET',
    path: '/v1beta/models/{id+}',
    otherPaths: ['/v1/models/{id+}'],
    header: 'x-goog-api-key',
    tag: 'Gemini API',
    summary: 'Get a model as the Gemini API describes it',
    description: 'Also at `/v1/models/{id}`, for requests with the header `x-goog-api-key`.',
    scopes: anyone,
    response: GeminiModel,
  },
  createResponse: {
    method: 'POST',
    path: '/v1/responses',
    tag: 'Responses',
    summary: 'Create a response',
    description:
      "OpenAI's Responses API. The response is one JSON object or, with `stream: true`, a stream of server-sent events. A stream that fails ends with the events `error` and `response.failed`.",
    scopes: inference,
    body: ResponseRequest,
    response: ResponseObject,
    event: ResponseEvent,
    streams: 'optional-events',
    errors: [402, 404, 408, 429, 504],
  },
  createEmbedding: {
    method: 'POST',
    path: '/v1/embeddings',
    tag: 'Embeddings, images and audio',
    summary: 'Create embeddings',
    ...passedThrough,
    body: EmbeddingRequest,
    response: EmbeddingList,
  },
  createModeration: {
    method: 'POST',
    path: '/v1/moderations',
    tag: 'Embeddings, images and audio',
    summary: 'Classify texts and images',
    ...passedThrough,
    body: ModerationRequest,
    response: Moderation,
  },
  rerank: {
    method: 'POST',
    path: '/v1/rerank',
    tag: 'Embeddings, images and audio',
    summary: 'Sort documents by relevance',
    ...passedThrough,
    body: RerankRequest,
    response: RerankResult,
  },
  createImage: {
    method: 'POST',
    path: '/v1/images/generations',
    tag: 'Embeddings, images and audio',
    summary: 'Generate images',
    ...passedThrough,
    body: ImageRequest,
    response: ImageList,
  },
  createTranscription: {
    method: 'POST',
    path: '/v1/audio/transcriptions',
    tag: 'Embeddings, images and audio',
    summary: 'Turn speech into text',
    ...passedThrough,
    form: true,
    body: TranscriptionRequest,
    response: Transcription,
  },
  createTranslation: {
    method: 'POST',
    path: '/v1/audio/translations',
    tag: 'Embeddings, images and audio',
    summary: 'Turn speech into English text',
    ...passedThrough,
    form: true,
    body: TranscriptionRequest,
    response: Transcription,
  },
  createSpeech: {
    method: 'POST',
    path: '/v1/audio/speech',
    tag: 'Embeddings, images and audio',
    summary: 'Turn text into speech',
    ...passedThrough,
    body: SpeechRequest,
    response: Audio,
  },
  getResponse: {
    method: 'GET',
    path: '/v1/responses/{id}',
    tag: 'Responses',
    summary: 'Get a response',
    description:
      'A response that the calling key received while the setting `storeBodies` was on, unless it was requested with `store: false`.',
    scopes: inference,
    query: ResponseQuery,
    response: ResponseObject,
  },
  deleteResponse: {
    method: 'DELETE',
    path: '/v1/responses/{id}',
    tag: 'Responses',
    summary: 'Delete a response',
    description: 'Deletes the stored prompt and answer. The request stays in the log.',
    scopes: inference,
    response: DeletedResponse,
  },
  listResponseInputItems: {
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    tag: 'Responses',
    summary: 'List the input of a response',
    scopes: inference,
    query: ResponseItemsQuery,
    response: ResponseItems,
  },
  listModels: {
    method: 'GET',
    path: '/v1/models',
    tag: 'Models',
    summary: 'List models',
    description: 'Lists the models that can be used now.',
    scopes: anyone,
    query: ModelQuery,
    response: ModelList,
  },
  getModel: {
    method: 'GET',
    path: '/v1/models/{id+}',
    tag: 'Models',
    summary: 'Get a model',
    scopes: anyone,
    response: ModelRecord,
  },
  putModel: {
    method: 'PUT',
    path: '/v1/models/{id+}',
    tag: 'Models',
    summary: 'Add or override a model',
    description: 'Replaces the whole override of the model.',
    scopes: admin,
    body: ModelOverride,
    response: ModelRecord,
  },
  deleteModel: {
    method: 'DELETE',
    path: '/v1/models/{id+}',
    tag: 'Models',
    summary: 'Delete the override of a model',
    scopes: admin,
    response: DeletedModelOverride,
  },
  getCallingKey: {
    method: 'GET',
    path: '/v1/key',
    tag: 'API keys',
    summary: 'Get the calling API key',
    description: 'Returns the key that authenticates this request, and what is left of its spend cap.',
    scopes: anyone,
    response: CallingKey,
  },
  listKeys: {
    method: 'GET',
    path: '/v1/keys',
    tag: 'API keys',
    summary: 'List API keys',
    description: 'Includes revoked keys.',
    scopes: admin,
    response: KeyList,
  },
  createKey: {
    method: 'POST',
    path: '/v1/keys',
    tag: 'API keys',
    summary: 'Create an API key',
    description: 'The secret is returned only in this response.',
    scopes: admin,
    body: KeyCreate,
    response: KeyCreated,
    status: 201,
  },
  getKey: {
    method: 'GET',
    path: '/v1/keys/{id}',
    tag: 'API keys',
    summary: 'Get an API key',
    scopes: admin,
    response: KeyMetadata,
  },
  updateKey: {
    method: 'PATCH',
    path: '/v1/keys/{id}',
    tag: 'API keys',
    summary: 'Update an API key',
    description: 'Changes the name, spend cap or rate limits.',
    scopes: admin,
    body: KeyUpdate,
    response: KeyMetadata,
  },
  revokeKey: {
    method: 'DELETE',
    path: '/v1/keys/{id}',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description: 'Takes effect immediately and cannot be undone. Requests in flight are canceled.',
    scopes: admin,
    response: KeyMetadata,
  },
  estimateCost: {
    method: 'POST',
    path: '/v1/pricing/estimate',
    tag: 'Estimates',
    summary: 'Estimate the cost of a workload',
    description: 'Calculates a monthly cost and recommends a plan.',
    scopes: reading,
    body: EstimateRequest,
    response: Estimate,
    errors: [404],
  },
  listPlans: {
    method: 'GET',
    path: '/v1/plans',
    tag: 'Account',
    summary: 'List plans',
    scopes: reading,
    response: PlanList,
  },
  listRequests: {
    method: 'GET',
    path: '/v1/requests',
    tag: 'Requests',
    summary: 'List requests',
    description: 'Newest first.',
    scopes: reading,
    query: RequestQuery,
    response: RequestList,
  },
  deleteBodies: {
    method: 'DELETE',
    path: '/v1/requests/bodies',
    tag: 'Requests',
    summary: 'Delete all stored prompts and responses',
    description: 'The request records stay.',
    scopes: admin,
    response: DeletedBodies,
  },
  getRequest: {
    method: 'GET',
    path: '/v1/requests/{id}',
    tag: 'Requests',
    summary: 'Get a request',
    description: 'Includes its attempts, timings, usage, cost and how it was priced.',
    scopes: reading,
    response: RequestRecord,
  },
  getRequestBodies: {
    method: 'GET',
    path: '/v1/requests/{id}/bodies',
    tag: 'Requests',
    summary: 'Get the stored prompt and response of a request',
    description: 'They are stored only while the setting `storeBodies` is on.',
    scopes: admin,
    response: RequestBodies,
  },
  settleRequest: {
    method: 'POST',
    path: '/v1/requests/{id}/settle',
    tag: 'Requests',
    summary: 'Settle an unsettled request',
    description: "Sets the cost of a request whose outcome is unknown, according to the provider's invoice.",
    scopes: admin,
    body: SettleRequest,
    response: RequestRecord,
  },
  getUsage: {
    method: 'GET',
    path: '/v1/usage',
    tag: 'Usage',
    summary: 'Get usage',
    description: 'Grouped by day, week, month, key, model, provider or client.',
    scopes: reading,
    query: UsageQuery,
    response: Usage,
  },
  getAccount: {
    method: 'GET',
    path: '/v1/account',
    tag: 'Account',
    summary: 'Get the account',
    description: 'Returns the plan, the spend and the monthly limit.',
    scopes: reading,
    response: Account,
  },
  updateAccount: {
    method: 'PATCH',
    path: '/v1/account',
    tag: 'Account',
    summary: 'Update the account',
    description: 'Changes the plan or the monthly limit.',
    scopes: admin,
    body: AccountUpdate,
    response: Account,
  },
  streamEvents: {
    method: 'GET',
    path: '/v1/events',
    tag: 'Events',
    summary: 'Stream events',
    description:
      'Sends server-sent events when requests, keys, the account or providers change. It does not end by itself.',
    scopes: reading,
    response: LiveEvent,
    streams: 'events',
  },
  listProviders: {
    method: 'GET',
    path: '/v1/providers',
    tag: 'Providers',
    summary: 'List providers',
    description: 'Lists configured providers and the known ones that are not set up.',
    scopes: admin,
    response: ProviderList,
  },
  putProvider: {
    method: 'PUT',
    path: '/v1/providers/{id}',
    tag: 'Providers',
    summary: 'Add or update a provider',
    scopes: admin,
    body: ProviderPut,
    response: ProviderRecord,
  },
  deleteProvider: {
    method: 'DELETE',
    path: '/v1/providers/{id}',
    tag: 'Providers',
    summary: 'Delete a provider',
    description: 'Also deletes its models and credentials.',
    scopes: admin,
    response: DeletedProvider,
  },
  testProvider: {
    method: 'POST',
    path: '/v1/providers/{id}/test',
    tag: 'Providers',
    summary: 'Test a provider',
    description: 'Reads the model list with the stored credential.',
    scopes: admin,
    response: ProviderTest,
  },
  fetchProviderModels: {
    method: 'POST',
    path: '/v1/providers/{id}/models',
    tag: 'Providers',
    summary: 'Refresh the models of a provider',
    description: "Reads the provider's model list into the catalog.",
    scopes: admin,
    response: ProviderModels,
    errors: [408, 504],
  },
  discoverProviders: {
    method: 'POST',
    path: '/v1/providers/discover',
    tag: 'Providers',
    summary: 'Discover local model servers',
    description: 'Looks for known servers on their usual ports. It adds nothing.',
    scopes: admin,
    response: LocalServers,
  },
  listEnvironmentCredentials: {
    method: 'GET',
    path: '/v1/providers/environment',
    tag: 'Providers',
    summary: 'List credentials in environment variables',
    description:
      'Lists known providers that are not set up and have a credential in an environment variable.',
    scopes: admin,
    response: EnvironmentCredentials,
  },
  importProvider: {
    method: 'POST',
    path: '/v1/providers/{id}/import',
    tag: 'Providers',
    summary: 'Import a provider from an environment variable',
    description: 'Sets up a known provider with the credential from its environment variable.',
    scopes: admin,
    response: ProviderRecord,
  },
  getPrices: {
    method: 'GET',
    path: '/v1/prices',
    tag: 'Prices',
    summary: 'Get the status of the price database',
    scopes: reading,
    response: PriceStatus,
  },
  refreshPrices: {
    method: 'POST',
    path: '/v1/prices/refresh',
    tag: 'Prices',
    summary: 'Refresh the price database',
    scopes: admin,
    response: PriceStatus,
  },
  getSettings: {
    method: 'GET',
    path: '/v1/settings',
    tag: 'Settings',
    summary: 'Get the settings',
    scopes: admin,
    response: Settings,
  },
  updateSettings: {
    method: 'PATCH',
    path: '/v1/settings',
    tag: 'Settings',
    summary: 'Update the settings',
    description: 'Settings that are left out keep their value.',
    scopes: admin,
    body: SettingsUpdate,
    response: Settings,
  },
  listBackups: {
    method: 'GET',
    path: '/v1/backups',
    tag: 'Backups',
    summary: 'List backups',
    scopes: admin,
    response: BackupList,
  },
  createBackup: {
    method: 'POST',
    path: '/v1/backups',
    tag: 'Backups',
    summary: 'Create a backup',
    scopes: admin,
    response: Backup,
    status: 201,
  },
  restoreBackup: {
    method: 'POST',
    path: '/v1/backups/{id}/restore',
    tag: 'Backups',
    summary: 'Schedule a restore',
    description:
      'At the next start the backup replaces the database. The old database is saved under another name.',
    scopes: admin,
    response: BackupList,
  },
  cancelRestore: {
    method: 'DELETE',
    path: '/v1/backups/{id}/restore',
    tag: 'Backups',
    summary: 'Cancel a pending restore',
    scopes: admin,
    response: BackupList,
  },
  getGateway: {
    method: 'GET',
    path: '/v1/gateway',
    tag: 'Gateway',
    summary: 'Get information about the gateway',
    description: 'Returns its version, address and data folder.',
    scopes: admin,
    response: GatewayInfo,
  },
  getHello: {
    method: 'GET',
    path: '/api/hello',
    tag: 'Gateway',
    summary: 'Check the connection',
    description: 'Claude Code calls it before its first request.',
    scopes: 'public',
    response: Hello,
  },
  getHealth: {
    method: 'GET',
    path: '/healthz',
    tag: 'Gateway',
    summary: 'Check health',
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

/** Operations that write their response themselves: as a stream, or as a provider wrote it. */
const WRITING_OPERATIONS = [
  'createChatCompletion',
  'createMessage',
  'createCompletion',
  'createFimCompletion',
  'createResponse',
  'createEmbedding',
  'createImage',
  'createModeration',
  'createSpeech',
  'createTranscription',
  'createTranslation',
  'generateContent',
  'rerank',
  'streamEvents',
  'streamGenerateContent',
] as const satisfies readonly OperationId[]
type WritingOperationId = (typeof WRITING_OPERATIONS)[number]

/** Operations whose response is always one JSON object. */
export type JsonOperationId = Exclude<OperationId, WritingOperationId>

export function isJsonOperation(id: OperationId): id is JsonOperationId {
  return !WRITING_OPERATIONS.some((each) => each === id)
}
