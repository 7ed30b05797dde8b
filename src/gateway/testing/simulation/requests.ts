// Random requests of clients, in every API format that clients use.
import { createRandom, type Random } from '../random.ts'
import type { ClientRequest } from './client-exchange.ts'
import { findModel, type SimulatedModel } from './models.ts'
import type { ClientFormat, RequestAction } from './plan.ts'
import { createMarker } from './vendor-meter.ts'

type Role = 'system' | 'developer' | 'user' | 'assistant'

interface Turn {
  role: Role
  text: string
  /** Base64 text of each image. */
  images: readonly string[]
}

interface Conversation {
  turns: readonly Turn[]
  stream: boolean
  limit: number | null
  choices: number
  hasTool: boolean
  searches: number
  /** An item of the input, with which the vendor gets a tool for searches. */
  hasToolItem: boolean
  /** Uses of tools at most. */
  toolCalls: number | null
  /** An item, a file or a response that the vendor has stored. */
  reference: string | null
  /** Members by which a server adds its own documents to the prompt, and which no format has. */
  unknown: object
  effort: string | null
  caching: '5m' | '1h' | null
  tier: string | null
}

const WORDS = 'Tell me what the weather will be like in the mountains tomorrow, and which way to take. '
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAA'

function getText(bytes: number): string {
  return WORDS.repeat(1 + Math.ceil(bytes / WORDS.length)).slice(0, bytes)
}

const UNKNOWN_MEMBERS: readonly object[] = [
  { files: [{ type: 'collection', id: 'c1' }] },
  { agent_id: 'a1' },
  { document_ids: ['d1', 'd2'] },
]

function drawConversation(
  { id, repeats, format, crowd, seed }: RequestAction,
  model: SimulatedModel,
  random: Random,
): Conversation {
  // Drawn apart from the rest, which stays the same without it.
  const more = createRandom(seed ^ 0x27d4eb2f)
  const draw = (role: Role): Turn => ({
    role,
    text: getText(random.chance(0.03) ? random.between(5_000, 60_000) : random.between(10, 400)),
    images: random.chance(0.06)
      ? [PICTURE.repeat(random.chance(0.3) ? random.between(100, 1_000) : random.between(2, 60))]
      : [],
  })
  const before: Role[] = []
  if (random.chance(0.3)) before.push(random.chance(0.5) ? 'system' : 'developer')
  for (let turns = random.chance(0.25) ? random.between(1, 3) : 0; turns > 0; turns--)
    before.push('user', 'assistant')
  const last = draw('user')
  const isSame = format === model.format
  const canSearch = isSame && format !== 'openai-chat' && model.prices.perThousandWebSearches !== undefined
  const marker = createMarker(repeats ?? id, crowd !== null)
  const conversation = {
    turns: [...before.map(draw), { ...last, text: `${marker} ${last.text}` }],
    stream: random.chance(0.5),
    limit:
      random.chance(0.7) || format === 'anthropic-messages'
        ? random.any([5, 50, 300, 1_000, 4_000, 20_000])
        : null,
    choices: format === 'openai-chat' && model.format === 'openai-chat' && random.chance(0.05) ? 3 : 1,
    hasTool: random.chance(0.1),
    searches: canSearch && random.chance(0.12) ? random.between(1, 5) : 0,
    reference: isSame && random.chance(0.04) ? random.any(['item', 'file']) : null,
    effort: model.reasons && random.chance(0.3) ? random.any(['low', 'medium', 'high']) : null,
    caching: format === 'anthropic-messages' && random.chance(0.2) ? random.any(['5m', '1h'] as const) : null,
    tier: random.chance(0.08) ? random.any(['flex', 'priority', 'auto', 'default']) : null,
    hasToolItem: canSearch && format === 'openai-responses' && more.chance(0.25),
    toolCalls: more.chance(0.6) ? more.any([1, 30]) : null,
    unknown: isSame && more.chance(0.04) ? more.any(UNKNOWN_MEMBERS) : {},
  }
  if (crowd !== null) return { ...conversation, stream: crowd === 'stream', limit: more.any([null, 20_000]) }
  if (format !== 'openai-responses' || !isSame || !more.chance(0.1)) return conversation
  return { ...conversation, reference: 'response' }
}

/** The request of an action, from which everything in it follows. */
export function drawRequest(action: RequestAction): Omit<ClientRequest, 'headers'> {
  const random = createRandom(action.seed)
  const conversation = drawConversation(action, findModel(action.model), random)
  const { path, body } = writers[action.format](conversation, action.model, random)
  return { method: 'POST', path, body: JSON.stringify({ ...body, ...conversation.unknown }) }
}

type Writer = (conversation: Conversation, model: string, random: Random) => { path: string; body: object }

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } }
const TOOL_ITEM = { type: 'additional_tools', role: 'developer', tools: [{ type: 'web_search' }] }
const TOOL = { name: 'weather', description: 'Says what the weather will be like.' }

const writeChat: Writer = (conversation, model, random) => {
  const { turns, limit, stream, choices, hasTool, effort, tier } = conversation
  const spelling = random.any(['max_tokens', 'max_completion_tokens'])
  return {
    path: '/v1/chat/completions',
    body: {
      model,
      messages: turns.map(({ role, text, images }) => ({
        role,
        content:
          images.length === 0
            ? text
            : [
                { type: 'text', text },
                ...images.map((data) => ({
                  type: 'image_url',
                  image_url: { url: `data:image/png;base64,${data}` },
                })),
              ],
      })),
      ...(limit !== null && { [spelling]: limit }),
      ...(stream && { stream, ...(random.chance(0.5) && { stream_options: { include_usage: true } }) }),
      ...(choices > 1 && { n: choices }),
      ...(hasTool && { tools: [{ type: 'function', function: { ...TOOL, parameters: PARAMETERS } }] }),
      ...(effort && { reasoning_effort: effort }),
      ...(tier && { service_tier: tier }),
    },
  }
}

const writeResponses: Writer = (conversation, model, random) => {
  const { turns, limit, stream, hasTool, searches, hasToolItem, toolCalls, reference, effort, tier } =
    conversation
  const tools = [
    ...(hasTool ? [{ type: 'function', ...TOOL, parameters: PARAMETERS, strict: false }] : []),
    ...(searches > 0 ? [{ type: 'web_search' }] : []),
  ]
  const item = random.chance(0.5) ? { type: 'item_reference', id: 'msg_0abc' } : { id: 'msg_0abc' }
  return {
    path: '/v1/responses',
    body: {
      model,
      input: [
        ...(reference === 'item' ? [item] : []),
        ...(hasToolItem ? [TOOL_ITEM] : []),
        ...turns.map(({ role, text, images }) => ({
          role,
          content: [
            { type: role === 'assistant' ? 'output_text' : 'input_text', text },
            ...(role === 'assistant' ? [] : images).map((data) => ({
              type: 'input_image',
              image_url: `data:image/png;base64,${data}`,
            })),
            ...(reference === 'file' && role === 'user'
              ? [{ type: 'input_file', file_id: 'file_0abc' }]
              : []),
          ],
        })),
      ],
      ...(limit !== null && { max_output_tokens: Math.max(16, limit) }),
      ...(stream && { stream }),
      ...(reference === 'response' && { previous_response_id: 'resp_0abc' }),
      ...(tools.length > 0 && { tools }),
      ...((searches > 0 || hasToolItem) && toolCalls !== null && { max_tool_calls: toolCalls }),
      ...(effort && { reasoning: { effort } }),
      ...(tier && { service_tier: tier }),
    },
  }
}

const writeMessages: Writer = ({ turns, limit, stream, hasTool, searches, reference, caching }, model) => {
  const system = turns.filter(({ role }) => role === 'system' || role === 'developer').map(({ text }) => text)
  const tools = [
    ...(hasTool ? [{ ...TOOL, input_schema: PARAMETERS }] : []),
    ...(searches > 0 ? [{ type: 'web_search_20250305', name: 'web_search', max_uses: searches }] : []),
  ]
  const control = caching && { cache_control: { type: 'ephemeral', ...(caching === '1h' && { ttl: '1h' }) } }
  return {
    path: '/v1/messages',
    body: {
      model,
      max_tokens: limit ?? 1_000,
      ...(system.length > 0 && { system: system.join('\n') }),
      messages: turns
        .filter(({ role }) => role === 'user' || role === 'assistant')
        .map(({ role, text, images }) => ({
          role,
          content: [
            ...(role === 'user' ? images : []).map((data) => ({
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data },
            })),
            ...(reference === 'file' && role === 'user'
              ? [{ type: 'document', source: { type: 'file', file_id: 'file_0abc' } }]
              : []),
            { type: 'text', text, ...control },
          ],
        })),
      ...(stream && { stream }),
      ...(tools.length > 0 && { tools }),
    },
  }
}

const writeGemini: Writer = ({ turns, limit, stream, hasTool, searches }, model, random) => {
  const system = turns
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ text }) => ({ text }))
  const tools = [
    ...(hasTool ? [{ functionDeclarations: [{ ...TOOL, parameters: PARAMETERS }] }] : []),
    ...(searches > 0 ? [{ googleSearch: {} }] : []),
  ]
  const spelling = random.any(['maxOutputTokens', 'max_output_tokens'])
  return {
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      contents: turns
        .filter(({ role }) => role === 'user' || role === 'assistant')
        .map(({ role, text, images }) => ({
          role: role === 'user' ? 'user' : 'model',
          parts: [{ text }, ...images.map((data) => ({ inlineData: { mimeType: 'image/png', data } }))],
        })),
      ...(system.length > 0 && { systemInstruction: { parts: system } }),
      ...(limit !== null && { generationConfig: { [spelling]: limit } }),
      ...(tools.length > 0 && { tools }),
    },
  }
}

const writers: Record<ClientFormat, Writer> = {
  'openai-chat': writeChat,
  'openai-responses': writeResponses,
  'anthropic-messages': writeMessages,
  'gemini-generate': writeGemini,
}
