// Serves clients of OpenAI's Responses API. Source: OpenAI's API reference.
import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { ResponseRequest, TextFormat } from '../../../../shared/formats/responses.ts'
import { invalidRequest } from '../../../platform/errors.ts'
import type { ClientCodec, DecodedRequest } from '../../chat/codec-types.ts'
import { UnsupportedFeatures } from '../../chat/failure.ts'
import { TextCache } from '../../chat/reasoning.ts'
import { isGiven, isObject, type JsonObject, parseJson } from '../../json/json.ts'
import { answerBody, ResponseStreamWriter } from './answer.ts'
import { decodeInput, lastUpdate } from './input.ts'
import { errorBody } from './response-object.ts'
import { decodeTools, ToolTable } from './tools.ts'

type Remember = (items: readonly JsonObject[]) => void

/** `remember` is called with the items of each answer, as the next request needs them. */
export function createResponsesClient(remember: Remember): ClientCodec<ResponseRequest> {
  return {
    decodeRequest,
    answerBody(completion, usage, context) {
      const { response, output } = answerBody(completion, usage, context)
      remember(output.wholeItems)
      return response
    },
    streamWriter: (context) => new ResponseStreamWriter(context, remember),
    observeNative(json) {
      const { output } = Object(parseJson(json))
      if (Array.isArray(output)) remember(output.filter(isObject))
    },
    errorBody,
  }
}

export const openaiResponsesClient = createResponsesClient(() => undefined)

/** Members that add to the prompt what only the provider holds. */
const STORED_THERE = ['conversation', 'prompt'] as const

export function decodeRequest(body: ResponseRequest): DecodedRequest {
  if (body.background === true)
    throw invalidRequest(
      '"background" is not supported: leave it out, and use "stream" for long responses.',
      {
        param: 'background',
      },
    )
  const refused = new UnsupportedFeatures(describeUnsupported)
  for (const name of STORED_THERE)
    if (isGiven(body[name])) refused.add(`"${name}"`, name, 'Send its content as "input".')
  if (isGiven(body.previous_response_id)) refusePrevious(body, refused)
  const tools = new ToolTable(body)
  const messages = decodeInput(body, tools, refused)
  // The input may have nothing but content that only a provider of the format can read.
  if (messages.length === 0 && refused.failure === null)
    throw invalidRequest('"input" must have at least one message.', { param: 'input' })
  return {
    request: {
      model: body.model,
      messages: messages.length > 0 ? messages : [{ role: 'user', content: '' }],
      ...(body.stream === true && { stream: true }),
      ...decodeTools(body, tools, refused),
      ...decodeText(body),
      ...decodeReasoning(body),
      ...decodeSampling(body),
    },
    unsupported: refused.failure,
  }
}

function refusePrevious({ previous_response_id: id }: ResponseRequest, refused: UnsupportedFeatures): void {
  refused.refuse(
    `The response "${id}" is not stored here. Turn on "Store prompts and answers" in Settings before the first request of a conversation, or set "store" to false and send the whole conversation in "input".`,
    'previous_response_id',
  )
}

function decodeText(body: ResponseRequest): Pick<ChatRequest, 'response_format'> & JsonObject {
  const updated = lastUpdate(body, 'text')
  const format = isObject(updated) && isObject(updated.format) ? updated.format : body.text?.format
  const verbosity = body.text?.verbosity
  return {
    ...(format && decodeFormat(format)),
    ...(typeof verbosity === 'string' && { verbosity }),
  }
}

function decodeFormat(format: TextFormat | JsonObject): Pick<ChatRequest, 'response_format'> {
  const { type, name, description, schema, strict } = format
  if (type === 'json_object') return { response_format: { type } }
  if (type !== 'json_schema') return {}
  const json_schema = {
    name: typeof name === 'string' ? name : 'output',
    ...(typeof description === 'string' && { description }),
    ...(isObject(schema) && { schema }),
    ...(typeof strict === 'boolean' && { strict }),
  }
  return { response_format: { type, json_schema } }
}

function decodeReasoning(body: ResponseRequest): Pick<ChatRequest, 'reasoning_effort'> {
  const updated = lastUpdate(body, 'reasoning')
  const effort = isObject(updated) ? updated.effort : body.reasoning?.effort
  return typeof effort === 'string' ? { reasoning_effort: effort } : {}
}

/** Fields that are stored elsewhere (`store`, `metadata`) or configure OpenAI's own service are left out. */
function decodeSampling(body: ResponseRequest): JsonObject {
  const { max_output_tokens: limit, temperature, top_p, service_tier: tier } = body
  const user = body.user ?? body.safety_identifier ?? null
  const wantsLogprobs = body.include?.includes('message.output_text.logprobs') === true
  return {
    ...(typeof limit === 'number' && { max_completion_tokens: limit }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { top_p }),
    ...(user !== null && { user }),
    ...(typeof tier === 'string' && tier !== 'auto' && { service_tier: tier }),
    ...(wantsLogprobs && { logprobs: true, top_logprobs: body.top_logprobs ?? 0 }),
  }
}

function describeUnsupported(
  what: string,
  advice = 'Leave it out, or use a model of such a provider.',
): string {
  return `Only a provider with the Responses API supports ${what}. ${advice}`
}

// Clients refer to items of earlier responses instead of sending them again (`item_reference`). Recent ones are remembered, in
// memory only.

/** The items that one API key received, by their id. */
export interface RecentItems {
  remember(items: readonly JsonObject[]): void
  /** Null when the item is unknown or was discarded. */
  recall(id: string): JsonObject | null
}

export class RecentItemCache {
  readonly #cache = new TextCache()

  /** The entries that one API key may read and write. */
  scopeTo(keyId: string): RecentItems {
    const entryKey = (id: string): string => JSON.stringify([keyId, id])
    return {
      remember: (items) => {
        for (const item of items)
          if (typeof item.id === 'string') this.#cache.set(entryKey(item.id), JSON.stringify(item))
      },
      recall: (id) => {
        const item = parseJson(this.#cache.get(entryKey(id)) ?? '')
        return isObject(item) ? item : null
      },
    }
  }
}
