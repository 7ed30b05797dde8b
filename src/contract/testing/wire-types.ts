// The JSON of each answer by the types of the vendor's own package, and what Tollgate adds to them.
import type Anthropic from '@anthropic-ai/sdk'
import type { GenerateContentResponse, GenerateContentResponseUsageMetadata } from '@google/genai'
import type OpenAI from 'openai'
import type { z } from 'zod'
import type { ModelList, ModelRecord } from '../../shared/api/models.ts'

/** Members of `usage` besides the vendor's: the cost in USD (`docs/api.md`), and members of other vendors. */
interface MoreUsage {
  cost?: number
  prompt_cache_hit_tokens?: number
  prompt_cache_miss_tokens?: number
  is_byok?: boolean
  cost_details?: object
}

/** Members of other vendors in messages and deltas. */
interface MoreContent {
  reasoning_content?: string
  content_parts?: object[]
}

/** `code` and `param` are absent rather than null, as in the error object of `docs/api.md`. */
type OpenAIError = Pick<OpenAI.ErrorObject, 'type' | 'message'> & Partial<OpenAI.ErrorObject>

type Paging = Omit<z.output<typeof ModelList>, 'object' | 'data'>

/** The JSON of a type of `@google/genai`, which writes enumerations as types of their own. */
type GoogleJson<T> = T extends string
  ? `${T}`
  : T extends object
    ? { [Name in keyof T]: GoogleJson<T[Name]> }
    : T

/** The JSON of a response, also inside an event, with the cost in its usage. */
type WithCost<T> = T extends { usage?: infer Usage }
  ? Omit<T, 'usage' | 'output_text'> & { usage?: (NonNullable<Usage> & { cost?: number }) | null }
  : T
type EventWithCost<T> = T extends { response: infer R }
  ? Omit<T, 'response'> & { response: WithCost<R> & StoreOption }
  : T extends { message: infer M extends object }
    ? Omit<T, 'message'> & { message: WithCost<M> }
    : WithCost<T> & MoreEvent

/** OpenAI sends it, though it is not in the package's type. */
interface StoreOption {
  store?: boolean
}

/** The members of an `error` event, for clients that look for an object; and what newer versions of events have. */
interface MoreEvent {
  error?: OpenAI.ErrorObject
  name?: string
}

/** The types by the kind of the answer. */
export interface WireTypes {
  'chat completion': OpenAI.ChatCompletion & {
    usage?: MoreUsage
    choices: { message: MoreContent }[]
  }
  'chat chunk': OpenAI.ChatCompletionChunk & {
    usage?: MoreUsage | null
    choices: { delta: MoreContent }[]
  }
  'openai error': { error: OpenAIError }
  'openai models': { object: 'list'; data: (OpenAI.Model & Partial<ModelRecord>)[] } & Paging
  'anthropic models': Pick<Anthropic.Models.ModelInfosPage, 'has_more' | 'first_id' | 'last_id'> & {
    object: 'list'
    data: (Pick<Anthropic.ModelInfo, 'type' | 'id' | 'display_name' | 'created_at'> & Partial<ModelRecord>)[]
  }
  response: WithCost<OpenAI.Responses.Response> & StoreOption
  'response event': EventWithCost<OpenAI.Responses.ResponseStreamEvent>
  message: WithCost<Anthropic.Message>
  'message event': EventWithCost<Anthropic.RawMessageStreamEvent> | { type: 'ping' }
  'anthropic error': Omit<Anthropic.ErrorResponse, 'error'> & {
    error: Anthropic.ErrorObject & { details?: { error_code?: string; param?: string } }
  }
  'generated content': GoogleJson<
    Pick<GenerateContentResponse, 'candidates' | 'modelVersion' | 'promptFeedback' | 'responseId'>
  > & { usageMetadata?: GoogleJson<GenerateContentResponseUsageMetadata> & { cost?: number } }
  'google error': { error: { code: number; message: string; status: string; details?: object[] } }
}
