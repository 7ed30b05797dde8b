// How vendors write their answers, one row for each API format. Written from the vendors' documentation; nothing here is taken from
// the gateway's own codecs.
import type { ApiFormat } from '../../../shared/api/providers.ts'

/** Tokens that a vendor bills. The parts of the prompt do not overlap. */
export interface VendorTokens {
  input: number
  cacheRead: number
  cacheWrite5m: number
  cacheWrite1h: number
  /** The part of the prompt that searches and references have added. */
  added: number
  text: number
  reasoning: number
  searches: number
}

export const NO_TOKENS: VendorTokens = {
  ...{ input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
  ...{ added: 0, text: 0, reasoning: 0, searches: 0 },
}

export interface VendorAnswer {
  /** One for each choice. */
  texts?: readonly string[]
  /** A call of a tool, in place of a text. `args`: JSON. */
  call?: { id: string; name: string; args: string } | null
  /** The usage as the format reports it. */
  usage?: unknown
  id?: string
  model?: string
  tier?: string
  searches?: number
}

type Json = Record<string, unknown>

export interface VendorFormat {
  /** `reasoningIsExtra`: whether the tokens of the completion are without those of reasoning. */
  usage(tokens: VendorTokens, reasoningIsExtra?: boolean): Json
  plain(answer: VendorAnswer): Json
  /** Everything before the first text. `early`: the usage that it reports. */
  begin(answer: VendorAnswer, early?: unknown): Json[]
  delta(text: string, answer?: VendorAnswer): Json
  /** Everything after the last text, with the usage of the answer. */
  end(answer: VendorAnswer): Json[]
  /** A report of the usage in the middle of a stream. */
  report(answer: VendorAnswer): Json
  /** The text of the last event. */
  done?: string
  isNumbered?: true
}

const CREATED = 1_760_000_000

const sumPrompt = ({ input, added, cacheRead, cacheWrite5m, cacheWrite1h }: VendorTokens): number =>
  input + added + cacheRead + cacheWrite5m + cacheWrite1h

function writeChat(object: string, answer: VendorAnswer, choices: readonly object[], usage: unknown) {
  const { id = 'chatcmpl-1', model = 'm', tier } = answer
  return {
    ...{ id, object, created: CREATED, model, choices },
    ...(tier !== undefined && { service_tier: tier }),
    ...(usage ? { usage } : {}),
  }
}

const writeChunk = (answer: VendorAnswer, choices: readonly object[], usage: unknown = null) =>
  writeChat('chat.completion.chunk', answer, choices, usage)

function listChatCalls({ call }: VendorAnswer): object[] {
  return call
    ? [{ index: 0, id: call.id, type: 'function', function: { name: call.name, arguments: call.args } }]
    : []
}

const getChatEnd = ({ call }: VendorAnswer) => (call ? 'tool_calls' : 'stop')

const chat: VendorFormat = {
  usage: (tokens, reasoningIsExtra = false) => ({
    prompt_tokens: sumPrompt(tokens),
    completion_tokens: tokens.text + (reasoningIsExtra ? 0 : tokens.reasoning),
    total_tokens: sumPrompt(tokens) + tokens.text + tokens.reasoning,
    prompt_tokens_details: { cached_tokens: tokens.cacheRead },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
    ...(tokens.searches > 0 && { num_sources_used: tokens.searches }),
  }),
  plain(answer) {
    const { texts = [''], call, usage } = answer
    const more = call ? { content: null, tool_calls: listChatCalls(answer) } : {}
    const choices = texts.map((content, index) => ({
      index,
      message: { role: 'assistant', content, refusal: null, ...more },
      finish_reason: getChatEnd(answer),
    }))
    return writeChat('chat.completion', answer, choices, usage)
  },
  begin: (answer, early) => [
    writeChunk(answer, [{ index: 0, delta: { role: 'assistant', content: '' } }], early),
  ],
  delta: (content, answer = {}) => {
    const delta = answer.call ? { tool_calls: listChatCalls(answer) } : { content }
    return writeChunk(answer, [{ index: 0, delta }])
  },
  end: (answer) => [
    writeChunk(answer, [{ index: 0, delta: {}, finish_reason: getChatEnd(answer) }]),
    ...(answer.usage ? [writeChunk(answer, [], answer.usage)] : []),
  ],
  report: (answer) => writeChunk(answer, [], answer.usage),
  done: '[DONE]',
}

function writeResponse(status: string, answer: VendorAnswer, output: readonly object[], usage: unknown) {
  const { id = 'resp_1', model = 'm', tier } = answer
  const response = { id, object: 'response', created_at: CREATED, status, model, output, usage }
  return tier === undefined ? response : { ...response, service_tier: tier }
}

const SEARCH = {
  type: 'web_search_call',
  id: 'ws_1',
  status: 'completed',
  action: { type: 'search', query: 'q' },
}

/** The item of an answer: complete, and at its beginning. */
function createItem({
  id = 'resp_1',
  texts: [text = ''] = [],
  call,
}: VendorAnswer): [whole: object, begun: object] {
  if (call) {
    const item = { type: 'function_call', id: `fc_${id}`, call_id: call.id, name: call.name }
    return [
      { ...item, arguments: call.args, status: 'completed' },
      { ...item, arguments: '', status: 'in_progress' },
    ]
  }
  const item = { type: 'message', id: `msg_${id}`, role: 'assistant' }
  const content = [{ type: 'output_text', text, annotations: [] }]
  return [
    { ...item, status: 'completed', content },
    { ...item, status: 'in_progress', content: [] },
  ]
}

const listOutput = (answer: VendorAnswer): object[] => [
  ...Array(answer.searches ?? 0).fill(SEARCH),
  createItem(answer)[0],
]

const responses: VendorFormat = {
  usage: (tokens) => ({
    input_tokens: sumPrompt(tokens),
    input_tokens_details: { cached_tokens: tokens.cacheRead },
    output_tokens: tokens.text + tokens.reasoning,
    output_tokens_details: { reasoning_tokens: tokens.reasoning },
    total_tokens: sumPrompt(tokens) + tokens.text + tokens.reasoning,
  }),
  plain: (answer) => writeResponse('completed', answer, listOutput(answer), answer.usage),
  begin(answer, early = null) {
    const { id = 'resp_1', call } = answer
    const part = { type: 'output_text', text: '', annotations: [] }
    return [
      { type: 'response.created', response: writeResponse('in_progress', answer, [], early) },
      { type: 'response.output_item.added', output_index: 0, item: createItem(answer)[1] },
      ...(call
        ? []
        : [
            {
              type: 'response.content_part.added',
              ...{ item_id: `msg_${id}`, output_index: 0, content_index: 0 },
              part,
            },
          ]),
    ]
  },
  delta(delta, { id = 'resp_1', call } = {}) {
    if (call)
      return {
        ...{ type: 'response.function_call_arguments.delta', item_id: `fc_${id}`, output_index: 0 },
        delta: call.args,
      }
    const place = { item_id: `msg_${id}`, output_index: 0, content_index: 0 }
    return { type: 'response.output_text.delta', ...place, delta, logprobs: [] }
  },
  end: (answer) => [
    { type: 'response.output_item.done', output_index: 0, item: createItem(answer)[0] },
    { type: 'response.completed', response: responses.plain(answer) },
  ],
  report: (answer) => ({
    type: 'response.in_progress',
    response: writeResponse('in_progress', answer, [], answer.usage),
  }),
  isNumbered: true,
}

function writeMessage(answer: VendorAnswer, content: readonly object[], stop: string | null, usage: unknown) {
  const { id = 'msg_1', model = 'm' } = answer
  return {
    ...{ id, type: 'message', role: 'assistant', model, content },
    ...{ stop_reason: stop, stop_sequence: null },
    ...(usage ? { usage } : {}),
  }
}

function createBlock({ call }: VendorAnswer, text: string, input: unknown): object {
  return call ? { type: 'tool_use', id: call.id, name: call.name, input } : { type: 'text', text }
}

const getMessageStop = ({ call }: VendorAnswer) => (call ? 'tool_use' : 'end_turn')

const messages: VendorFormat = {
  usage: (tokens) => ({
    input_tokens: tokens.input + tokens.added,
    cache_read_input_tokens: tokens.cacheRead,
    cache_creation_input_tokens: tokens.cacheWrite5m + tokens.cacheWrite1h,
    cache_creation: {
      ephemeral_5m_input_tokens: tokens.cacheWrite5m,
      ephemeral_1h_input_tokens: tokens.cacheWrite1h,
    },
    output_tokens: tokens.text + tokens.reasoning,
    output_tokens_details: { thinking_tokens: tokens.reasoning },
    ...(tokens.searches > 0 && { server_tool_use: { web_search_requests: tokens.searches } }),
  }),
  plain(answer) {
    const { texts: [text = ''] = [], call, usage } = answer
    const block = createBlock(answer, text, JSON.parse(call?.args ?? '{}'))
    return writeMessage(answer, [block], getMessageStop(answer), usage)
  },
  begin: (answer, early) => [
    {
      type: 'message_start',
      message: writeMessage(answer, [], null, early && { ...Object(early), output_tokens: 1 }),
    },
    { type: 'content_block_start', index: 0, content_block: createBlock(answer, '', {}) },
  ],
  delta: (text, { call } = {}) => ({
    type: 'content_block_delta',
    index: 0,
    delta: call ? { type: 'input_json_delta', partial_json: call.args } : { type: 'text_delta', text },
  }),
  end: (answer) => [
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: getMessageStop(answer), stop_sequence: null },
      ...(answer.usage ? { usage: answer.usage } : {}),
    },
    { type: 'message_stop' },
  ],
  report: ({ usage }) => ({
    type: 'message_delta',
    delta: { stop_reason: null, stop_sequence: null },
    usage,
  }),
}

function writeCandidate(
  { call, model = 'm' }: VendorAnswer,
  text: string,
  usage: unknown,
  more: object = {},
) {
  const part = call ? { functionCall: { name: call.name, args: JSON.parse(call.args) } } : { text }
  return {
    candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...more }],
    ...(usage ? { usageMetadata: usage } : {}),
    modelVersion: model,
  }
}

const getGeminiEnd = ({ searches = 0 }: VendorAnswer): object => ({
  finishReason: 'STOP',
  ...(searches > 0 && { groundingMetadata: { webSearchQueries: ['q'] } }),
})

const gemini: VendorFormat = {
  usage: (tokens) => ({
    promptTokenCount: tokens.input + tokens.cacheRead,
    cachedContentTokenCount: tokens.cacheRead,
    toolUsePromptTokenCount: tokens.added,
    candidatesTokenCount: tokens.text,
    thoughtsTokenCount: tokens.reasoning,
    totalTokenCount: sumPrompt(tokens) + tokens.text + tokens.reasoning,
  }),
  plain: (answer) => writeCandidate(answer, answer.texts?.[0] ?? '', answer.usage, getGeminiEnd(answer)),
  begin: (answer, early) => (early ? [writeCandidate({ ...answer, call: null }, '', early)] : []),
  delta: (text, answer = {}) => writeCandidate(answer, text, null),
  end: (answer) => [writeCandidate({ ...answer, call: null }, '', answer.usage, getGeminiEnd(answer))],
  report: ({ usage, model = 'm' }) => ({ usageMetadata: usage, modelVersion: model }),
}

/** The names of its events are their types here. */
const converse: VendorFormat = {
  usage: (tokens) => ({
    inputTokens: tokens.input + tokens.added,
    outputTokens: tokens.text + tokens.reasoning,
    totalTokens: sumPrompt(tokens) + tokens.text + tokens.reasoning,
    cacheReadInputTokens: tokens.cacheRead,
    cacheWriteInputTokens: tokens.cacheWrite5m + tokens.cacheWrite1h,
    cacheDetails: [
      { ttl: '1h', inputTokens: tokens.cacheWrite1h },
      { ttl: '5m', inputTokens: tokens.cacheWrite5m },
    ],
  }),
  plain({ texts: [text = ''] = [], call, usage }) {
    const toolUse = call && { toolUseId: call.id, name: call.name, input: JSON.parse(call.args) }
    return {
      output: { message: { role: 'assistant', content: [toolUse ? { toolUse } : { text }] } },
      stopReason: call ? 'tool_use' : 'end_turn',
      ...(usage ? { usage } : {}),
    }
  },
  begin: ({ call }) => [
    { type: 'messageStart', role: 'assistant' },
    ...(call
      ? [
          {
            ...{ type: 'contentBlockStart', contentBlockIndex: 0 },
            start: { toolUse: { toolUseId: call.id, name: call.name } },
          },
        ]
      : []),
  ],
  delta: (text, { call } = {}) => ({
    ...{ type: 'contentBlockDelta', contentBlockIndex: 0 },
    delta: call ? { toolUse: { input: call.args } } : { text },
  }),
  end: ({ call, usage }) => [
    { type: 'contentBlockStop', contentBlockIndex: 0 },
    { type: 'messageStop', stopReason: call ? 'tool_use' : 'end_turn' },
    ...(usage ? [{ type: 'metadata', usage, metrics: { latencyMs: 1 } }] : []),
  ],
  report: ({ usage }) => ({ type: 'metadata', usage }),
}

export const vendorFormats: Readonly<Record<ApiFormat, VendorFormat>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  'gemini-generate': gemini,
  'bedrock-converse': converse,
}

/** All events of a stream. `early`: the usage that its first event reports, as all of Anthropic's do. */
export function listEvents(
  name: ApiFormat,
  answer: VendorAnswer,
  early = name === 'anthropic-messages' ? answer.usage : null,
): Json[] {
  const format = vendorFormats[name]
  const [text = ''] = answer.texts ?? []
  const events = [...format.begin(answer, early), format.delta(text, answer), ...format.end(answer)]
  return format.isNumbered ? events.map((event, sequence_number) => ({ ...event, sequence_number })) : events
}

/** One event of a stream, as its bytes. */
export function encodeEvent(event: object): string {
  const name = 'type' in event ? `event: ${String(event.type)}\n` : ''
  return `${name}data: ${JSON.stringify(event)}\n\n`
}

/** A whole stream, as its bytes. */
export function writeStream(name: ApiFormat, answer: VendorAnswer, early?: unknown): string {
  const { done } = vendorFormats[name]
  return listEvents(name, answer, early).map(encodeEvent).join('') + (done ? `data: ${done}\n\n` : '')
}
