// The JSON of each answer by the types of the vendor's own package, and what Tollgate adds to them.
import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import type { ModelRecord } from '../../shared/models.ts'
import type { ResponseOf } from '../../shared/operations.ts'

/** What is in `usage` besides the vendor's members: the cost in USD (`docs/api.md`), and members of other vendors. */
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

type Paging = Omit<ResponseOf<'listModels'>, 'object' | 'data'>

/** By the kind of the answer. */
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
}
