// How the vendors write their answers, one row for each API format.
import type { ApiFormat } from '../../../shared/api/providers.ts'
import type { SimulatedModel } from './models.ts'
import type { Usage } from './vendor-meter.ts'

interface AnswerFormat {
  /** The usage as the format reports it. */
  usage(usage: Usage, model: SimulatedModel): object
  plain(texts: readonly string[], usage: object | null, searches: number, tier: string): object
  /** Everything before the first text. `usage`: an early report. */
  begin(usage: object | null, tier: string): readonly object[]
  delta(text: string, choice: number): object
  /** `usage`: the last report. */
  end(usage: object | null, text: string, searches: number, tier: string): readonly object[]
  /** A report in the middle of a stream. */
  report(usage: object, tier: string): object
  /** The text of the last event. */
  done?: string
  names?: true
}

const computePrompt = ({ input, added, cacheRead, cacheWrite5m, cacheWrite1h }: Usage): number =>
  input + added + cacheRead + cacheWrite5m + cacheWrite1h

const chunk = (choices: readonly object[], tier: string | null = null, usage: object | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices,
  ...(tier !== null && { service_tier: tier }),
  ...(usage && { usage }),
})

const chat: AnswerFormat = {
  usage(usage, { reasoningIsExtra }) {
    const completion = usage.text + (reasoningIsExtra ? 0 : usage.reasoning)
    return {
      prompt_tokens: computePrompt(usage),
      completion_tokens: completion,
      total_tokens: computePrompt(usage) + usage.text + usage.reasoning,
      prompt_tokens_details: { cached_tokens: usage.cacheRead },
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
      ...(usage.searches > 0 && { num_sources_used: usage.searches }),
    }
  },
  plain: (texts, usage, _, tier) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    service_tier: tier,
    choices: texts.map((content, index) => ({
      index,
      message: { role: 'assistant', content, refusal: null },
      finish_reason: 'stop',
    })),
    ...(usage && { usage }),
  }),
  begin: (usage, tier) => [chunk([{ index: 0, delta: { role: 'assistant', content: '' } }], tier, usage)],
  delta: (content, index) => chunk([{ index, delta: { content } }]),
  end: (usage, _text, _searches, tier) => [
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], tier),
    ...(usage ? [chunk([], tier, usage)] : []),
  ],
  report: (usage, tier) => chunk([], tier, usage),
  done: '[DONE]',
}

const searchItem = {
  type: 'web_search_call',
  id: 'ws_1',
  status: 'completed',
  action: { type: 'search', query: 'q' },
}

function getResponse(status: string, output: readonly object[], usage: object | null, tier: string) {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status,
    model: 'm',
    output,
    usage,
    service_tier: tier,
  }
}

const messageItem = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})

const responses: AnswerFormat = {
  usage: (usage) => ({
    input_tokens: computePrompt(usage),
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.text + usage.reasoning,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: computePrompt(usage) + usage.text + usage.reasoning,
  }),
  plain: ([text = ''], usage, searches, tier) =>
    getResponse('completed', [...Array(searches).fill(searchItem), messageItem(text)], usage, tier),
  begin: (usage, tier) => [
    { type: 'response.created', sequence_number: 0, response: getResponse('in_progress', [], usage, tier) },
    {
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { ...messageItem(''), status: 'in_progress', content: [] },
    },
    {
      type: 'response.content_part.added',
      sequence_number: 2,
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      part: { type: 'output_text', text: '', annotations: [] },
    },
  ],
  delta: (delta) => ({
    type: 'response.output_text.delta',
    sequence_number: 3,
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta,
  }),
  end: (usage, text, searches, tier) => [
    { type: 'response.output_item.done', sequence_number: 4, output_index: 0, item: messageItem(text) },
    {
      type: 'response.completed',
      sequence_number: 5,
      response: getResponse(
        'completed',
        [...Array(searches).fill(searchItem), messageItem(text)],
        usage,
        tier,
      ),
    },
  ],
  report: (usage, tier) => ({
    type: 'response.in_progress',
    sequence_number: 3,
    response: getResponse('in_progress', [], usage, tier),
  }),
  names: true,
}

const messages: AnswerFormat = {
  usage: (usage) => ({
    input_tokens: usage.input + usage.added,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    output_tokens: usage.text + usage.reasoning,
    ...(usage.searches > 0 && { server_tool_use: { web_search_requests: usage.searches } }),
  }),
  plain: ([text = ''], usage) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    ...(usage && { usage }),
  }),
  begin: (usage) => [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        ...(usage && { usage: { ...usage, output_tokens: 1 } }),
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
  delta: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  end: (usage) => [
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      ...(usage && { usage }),
    },
    { type: 'message_stop' },
  ],
  report: (usage) => ({ type: 'message_delta', delta: { stop_reason: null, stop_sequence: null }, usage }),
  names: true,
}

const geminiEvent = (text: string, usage: object | null, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
  ...(usage && { usageMetadata: usage }),
  modelVersion: 'm',
})

const grounding = (searches: number): object =>
  searches > 0 ? { groundingMetadata: { webSearchQueries: ['q'] } } : {}

const gemini: AnswerFormat = {
  usage: (usage) => ({
    promptTokenCount: usage.input + usage.cacheRead,
    cachedContentTokenCount: usage.cacheRead,
    toolUsePromptTokenCount: usage.added,
    candidatesTokenCount: usage.text,
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: computePrompt(usage) + usage.text + usage.reasoning,
  }),
  plain: ([text = ''], usage, searches) =>
    geminiEvent(text, usage, { finishReason: 'STOP', ...grounding(searches) }),
  begin: (usage) => (usage ? [geminiEvent('', usage)] : []),
  delta: (text) => geminiEvent(text, null),
  end: (usage, _, searches) => [geminiEvent('', usage, { finishReason: 'STOP', ...grounding(searches) })],
  report: (usage) => ({ usageMetadata: usage, modelVersion: 'm' }),
}

const formats: Record<ApiFormat, AnswerFormat> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  'gemini-generate': gemini,
}

export function answerFormat(format: ApiFormat): AnswerFormat {
  return formats[format]
}

/** One event of a stream, as its bytes. */
export function encodeEvent(format: AnswerFormat, event: object): string {
  const name = format.names && 'type' in event ? `event: ${String(event.type)}\n` : ''
  return `${name}data: ${JSON.stringify(event)}\n\n`
}
