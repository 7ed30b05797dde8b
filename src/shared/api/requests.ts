import { z } from 'zod'
import { batchFields } from '../../features/batches/api/batches.ts'
import { credentialFields } from '../../features/credential-use/api/credential-use.ts'
import { promptFields } from '../../features/prompt-doctor/api/prompts.ts'
import { ruleFields } from '../../features/rules/api/effects.ts'
import { secretFields } from '../../features/secrets/api/secrets.ts'
import { ChatRequest } from '../formats/chat.ts'
import { AnswerMessage, FINISH_REASONS } from '../formats/chat-completion.ts'
import { ErrorBody } from './errors.ts'
import { PriceOrigin, Pricing } from './models.ts'
import { AGENT_ROLES, COST_STATUSES, REQUEST_STATUSES } from './terms.ts'

export const RequestStatus = z.enum(REQUEST_STATUSES).meta({
  id: 'RequestStatus',
  description:
    '`refused`: stopped by a spend cap or rate limit. `rejected`: invalid or unknown (endpoint, model, field …); ' +
    'only the last 500 are available, until Tollgate exits.',
})
export type RequestStatus = z.infer<typeof RequestStatus>

export const CostStatus = z.enum(COST_STATUSES).meta({
  id: 'CostStatus',
  description:
    "`pending`: in flight. `exact`: from the provider's own token counts. `estimated`: counted by Tollgate. " +
    '`unsettled`: the outcome is unknown, the cost is between `costLowUsd` and `costHighUsd`. ' +
    '`confirmed`: settled by the user. `unknown`: the model has no price. `free`: nothing was billed. `plan`: paid by a plan of the user, see `worthUsd`. `cached`: answered from the response cache, see `savedUsd`.',
})
export type CostStatus = z.infer<typeof CostStatus>

export const UsageBuckets = z
  .object({
    input: z.number(),
    cacheRead: z.number(),
    cacheWrite5m: z.number().describe('Written to the cache for five minutes.'),
    cacheWrite1h: z.number().describe('Written to the cache for an hour.'),
    audioInput: z.number(),
    output: z.number(),
    audioOutput: z.number(),
    reasoning: z.number().describe('How much of `output` was reasoning.'),
    cacheReadAudio: z
      .number()
      .describe('How much of `cacheRead` was audio, which some vendors price differently.'),
    imageInput: z.number().optional().describe('Image tokens, where the vendor counts them separately.'),
    imageOutput: z.number().optional(),
    cacheReadImage: z.number().optional().describe('How much of `cacheRead` was images.'),
    audioSeconds: z.number().optional().describe('Seconds of audio that was transcribed.'),
    characters: z.number().optional().describe('Characters that were spoken.'),
    images: z.number().optional().describe('Images that were generated.'),
    searches: z.number().optional().describe('Searches of a rerank model.'),
    webSearches: z.number().optional().describe('Searches of the web by a tool of the provider.'),
    fileSearches: z.number().optional().describe('Searches of stored files by a tool of the provider.'),
  })
  .meta({
    id: 'TokenUsage',
    description:
      'Token counts in disjoint buckets, and what else is billed. Reasoning tokens are part of `output`.',
  })
export type UsageBuckets = z.infer<typeof UsageBuckets>

export const Attempt = z
  .object({
    provider: z.string(),
    model: z.string(),
    status: z.number().nullable().describe("The provider's HTTP status; null if there was no response."),
    startMs: z
      .number()
      .optional()
      .describe('Milliseconds from the first attempt to this one; absent in records of older versions.'),
    ms: z.number().describe('How long it took, in milliseconds.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'Attempt', description: 'One request to a provider.' })
export type Attempt = z.infer<typeof Attempt>

export const AppliedPrice = z
  .object({
    pricing: Pricing,
    origin: PriceOrigin,
    tier: z
      .string()
      .optional()
      .describe('The tier (`service_tier`) in which the request was served, if not the standard one.'),
    plan: z.string(),
    discountPercent: z.number(),
    reportedByProvider: z.boolean().describe('Whether the cost is the one that the provider reported.'),
  })
  .meta({ id: 'AppliedPrice', description: 'How a request was priced.' })
export type AppliedPrice = z.infer<typeof AppliedPrice>

export const RequestAgent = z
  .object({
    id: z.string().nullable().describe("The client's own id of the sub-agent; null for the main agent."),
    parentId: z.string().nullable().describe('The sub-agent that started it; null for the main agent.'),
    type: z.string().nullable().describe('The kind of sub-agent, such as `Explore`.'),
    role: z.enum(AGENT_ROLES),
    toolMs: z.record(z.string(), z.number()).describe('How long the tools before the request took, by name.'),
  })
  .meta({ id: 'RequestAgent', description: 'The place of a request in the run of an agent.' })
export type RequestAgent = z.infer<typeof RequestAgent>

/** The fields that features add to a record. */
const featureFields = {
  ...promptFields,
  ...ruleFields,
  ...secretFields,
  ...credentialFields,
  ...batchFields,
}
export type FeatureField = keyof typeof featureFields

export const RequestRecord = z
  .object({
    id: z.string(),
    createdAt: z.iso.datetime(),
    keyId: z.string(),
    keyName: z.string(),
    requestedModel: z.string().nullable().describe('Null for a rejected request that names no known model.'),
    model: z.string().nullable().describe('The model that served the request.'),
    provider: z.string().nullable().describe('The provider that served the request.'),
    stream: z.boolean(),
    status: RequestStatus,
    httpStatus: z
      .number()
      .nullable()
      .describe('The status of the response; null while the request is in flight.'),
    error: ErrorBody.nullable(),
    tokensIn: z.number(),
    tokensOut: z.number(),
    usage: UsageBuckets.nullable(),
    costUsd: z.number().nullable(),
    sample: z
      .boolean()
      .describe(
        'Whether `costUsd` is a sample, because the sandbox served: it counts under the limits of the key, but in no total and under no limit of the account.',
      ),
    costStatus: CostStatus,
    worthUsd: z
      .number()
      .nullable()
      .describe(
        "What a request that a plan paid for would have cost by the vendor's API; null for all others, and where the price is unknown.",
      ),
    savedUsd: z
      .number()
      .nullable()
      .describe(
        'What a request that the response cache answered would have cost: what its provider charged for the stored answer. Null for all others.',
      ),
    costLowUsd: z.number().nullable().describe('The lowest possible cost, where `costHighUsd` is set.'),
    costHighUsd: z
      .number()
      .nullable()
      .describe(
        'The highest possible cost of an unsettled request, or the cost that a provider reported far above the bound of an estimated one.',
      ),
    reservedUsd: z.number(),
    heldUsd: z
      .number()
      .nullable()
      .describe(
        'What stays reserved after the request, because its provider may still bill it (`POST /v1/requests/{id}/release`); null for nothing.',
      ),
    heldUntil: z.iso.datetime().nullable().describe('When it is released without a settlement.'),
    price: AppliedPrice.nullable(),
    attempts: z.array(Attempt),
    timings: z
      .object({
        queueMs: z.number().nullable().describe('From the request to the first attempt.'),
        firstByteMs: z
          .number()
          .nullable()
          .describe('From the first attempt to the first byte of the response.'),
        totalMs: z.number().nullable().describe('From the request to the end of the response.'),
      })
      .describe('Milliseconds.'),
    client: z.string().nullable().describe('The calling program, as it describes itself.'),
    clientName: z
      .string()
      .nullable()
      .describe('The name of the calling program, without its version, as `GET /v1/usage` groups by it.'),
    endpoint: z
      .string()
      .nullable()
      .describe('The method and path of the request (`POST /v1/responses`); null for one of version 0.1.'),
    sessionId: z
      .string()
      .nullable()
      .describe('The session (`GET /v1/sessions/{id}`) that the request is part of; null for an old record.'),
    agent: RequestAgent.nullable().describe('Null where the client says nothing of it.'),
    ...featureFields,
    finishReason: z
      .enum(FINISH_REASONS)
      .nullable()
      .describe('Why the answer ended; null where there was none, or it did not say.'),
    overflowFrom: z
      .string()
      .nullable()
      .describe(
        'The plan that would have paid, and was used up when the session began; null for all other requests.',
      ),
    tag: z.string().nullable().describe('The tag of the request, or that of its key; null for none.'),
    count: z
      .number()
      .describe(
        'The number of requests in this record: those refused or rejected for the same reason within a minute share one.',
      ),
    lastAt: z.iso.datetime().nullable().describe('The time of the last of several requests; null for one.'),
    bodiesKept: z
      .boolean()
      .describe('Whether `GET /v1/requests/{id}/bodies` returns the prompt and response.'),
  })
  .meta({ id: 'RequestRecord' })
export type RequestRecord = z.infer<typeof RequestRecord>

export const RunningRequest = RequestRecord.pick({
  id: true,
  createdAt: true,
  keyId: true,
  keyName: true,
  requestedModel: true,
})
  .extend({
    elapsedMs: z.number().describe('Milliseconds since the request came.'),
    model: z.string().describe('The model that is answering, or is being asked.'),
    provider: z.string(),
    tokensIn: z.number().describe('As far as the provider has reported it; an estimate before.'),
    tokensOut: z.number().describe('What has come so far.'),
    costUsd: z
      .number()
      .nullable()
      .describe('An estimate of what it has cost so far; null for a model without a price.'),
    reservedUsd: z.number(),
  })
  .meta({ id: 'RunningRequest', description: 'A request that an answer is awaited for, as it is now.' })
export type RunningRequest = z.infer<typeof RunningRequest>

export const RunningRequests = z
  .object({
    data: z.array(RunningRequest),
    todaySpendUsd: z
      .number()
      .describe(
        'The spend of today without these requests, as of the same moment: together, no cost counts twice.',
      ),
  })
  .meta({ id: 'RunningRequestList', description: 'The oldest first.' })
export type RunningRequests = z.infer<typeof RunningRequests>

export const StoredChat = z
  .object({
    request: ChatRequest,
    answers: z.array(AnswerMessage).describe('One for each choice, as far as the answer was received.'),
    error: z
      .string()
      .nullable()
      .describe('The error that the client got instead of an answer, or within it.'),
    complete: z
      .boolean()
      .describe(
        'Whether `request` has all of the stored one: what a chat completion cannot express is left out.',
      ),
  })
  .meta({ id: 'StoredChat', description: 'A stored request and its answer as a chat completion.' })
export type StoredChat = z.infer<typeof StoredChat>

export const RequestBodies = z
  .object({
    requestId: z.string(),
    request: z.string().nullable(),
    response: z.string().nullable(),
    chat: StoredChat.nullable().describe('The same, whichever API format it has; null if it is no chat.'),
  })
  .meta({
    id: 'RequestBodies',
    description: 'The stored prompt and response as they were sent; null for a missing one.',
  })
export type RequestBodies = z.infer<typeof RequestBodies>

export const SettleRequest = z
  .strictObject({ costUsd: z.number().nonnegative().describe("The cost on the provider's invoice.") })
  .meta({ id: 'Settlement' })
export type SettleRequest = z.infer<typeof SettleRequest>
