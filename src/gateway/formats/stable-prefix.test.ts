// A provider's cache serves the beginning of a prompt that is the same as before. So each turn of a conversation must begin
// with the bytes of the turn before, whatever the two formats are.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { API_FORMATS, type ApiFormat } from '../../shared/api/providers.ts'
import { ChatRequest } from '../../shared/formats/chat.ts'
import { ResponseRequest } from '../../shared/formats/responses.ts'
import { testTarget } from '../upstream/testing/test-upstream.ts'
import { decode as decodeMessages } from './anthropic-messages/client/testing/decode.ts'
import type { Target } from './chat/codec-types.ts'
import { clientCodecs, codecFor } from './codecs.ts'
import { decode as decodeGemini } from './gemini-generate/client/testing/decode.ts'
import { asObject, isObject, type JsonObject, listObjects, parseJson } from './json/json.ts'
import { adaptTranslated } from './openai-chat/request.ts'
import { NATIVE_FORMATS, type NativeFormat, PIXEL } from './testing/replay.ts'

interface Call {
  name: string
  args: JsonObject
  result: string
  pictured: boolean
}

/** What the user says, and the steps of the agent that follow: texts and tool calls, whose results are sent back. */
interface Round {
  said: string
  instructed: boolean
  steps: { text: string; calls: Call[] }[]
  end: string
}

interface Conversation {
  system: string
  tools: string[]
  rounds: Round[]
}

const word = fc.constantFrom('alpha', ' two words ', 'Grüße 🚆', '{"a":1}', '0', '[]', 'null', '"')
const toolName = fc.constantFrom('bash', 'read', 'mcp__git__log', 'mcp__git__diff', 'web')
const call: fc.Arbitrary<Call> = fc.record({
  name: toolName,
  args: fc.dictionary(fc.constantFrom('path', 'b', 'a', '10', '2'), fc.oneof(word, fc.nat(9)), {
    maxKeys: 3,
  }),
  result: fc.oneof(word, fc.constant('')),
  pictured: fc.boolean(),
})
const conversation: fc.Arbitrary<Conversation> = fc.record({
  system: fc.oneof(word, fc.constant('')),
  tools: fc.uniqueArray(toolName, { minLength: 0, maxLength: 5 }),
  rounds: fc.array(
    fc.record({
      said: word,
      instructed: fc.boolean(),
      steps: fc.array(
        fc.record({
          text: fc.oneof(word, fc.constant('')),
          calls: fc.array(call, { minLength: 1, maxLength: 3 }),
        }),
        { maxLength: 3 },
      ),
      end: word,
    }),
    { minLength: 1, maxLength: 4 },
  ),
})

const schema = { type: 'object', properties: { path: { type: 'string' }, b: { type: 'string' } } }

/** Something that a client adds to its history. */
type Event =
  | { kind: 'user' | 'system' | 'end'; text: string }
  | { kind: 'step'; text: string; calls: (Call & { id: string })[] }

/** The histories of the requests of a conversation: one for each step, and for the answer. */
function listTurns({ rounds }: Conversation): Event[][] {
  const history: Event[] = []
  const turns: Event[][] = []
  let count = 0
  for (const { said, instructed, steps, end } of rounds) {
    history.push({ kind: 'user', text: said })
    if (instructed) history.push({ kind: 'system', text: 'Keep to the point.' })
    for (const { text, calls } of steps) {
      turns.push([...history])
      history.push({ kind: 'step', text, calls: calls.map((each) => ({ ...each, id: `call_${count++}` })) })
    }
    turns.push([...history])
    history.push({ kind: 'end', text: end })
  }
  return turns
}

type Writer = (conversation: Conversation, history: readonly Event[], at: number) => ChatRequest

/** The request of a client in each format, as a chat request. */
const clients: Readonly<Record<NativeFormat, Writer>> = {
  'openai-chat': ({ system, tools }, history, at) => {
    const messages = history.flatMap((event): object[] => {
      if (event.kind !== 'step')
        return [{ role: event.kind === 'end' ? 'assistant' : event.kind, content: event.text }]
      const calls = event.calls.map(({ id, name, args }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      }))
      return [
        { role: 'assistant', content: event.text || null, tool_calls: calls },
        ...event.calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
      ]
    })
    // Some of these clients mark the end of the conversation for Anthropic.
    const last = asObject(messages.at(-1))
    if (at % 2 === 1 && typeof last.content === 'string')
      last.content = [{ type: 'text', text: last.content, cache_control: { type: 'ephemeral' } }]
    return ChatRequest.parse({
      model: 'x',
      messages: [...(system ? [{ role: 'system', content: system }] : []), ...messages],
      ...(tools.length > 0 && {
        tools: tools.map((name) => ({
          type: 'function',
          function: { name, description: name, parameters: schema },
        })),
      }),
    })
  },
  'openai-responses': ({ system, tools }, history) => {
    const input = history.flatMap((event): object[] => {
      if (event.kind !== 'step') {
        const role = event.kind === 'end' ? 'assistant' : event.kind === 'system' ? 'developer' : 'user'
        const type = event.kind === 'end' ? 'output_text' : 'input_text'
        return [{ type: 'message', role, content: [{ type, text: event.text }] }]
      }
      return [
        ...(event.text
          ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: event.text }] }]
          : []),
        ...event.calls.map(({ id, name, args }) => ({
          type: 'function_call',
          call_id: id,
          name,
          arguments: JSON.stringify(args),
        })),
        ...event.calls.map(({ id, result, pictured }) => ({
          type: 'function_call_output',
          call_id: id,
          output: pictured
            ? [
                { type: 'input_text', text: result },
                { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` },
              ]
            : result,
        })),
      ]
    })
    const body = {
      model: 'x',
      input,
      ...(system && { instructions: system }),
      tools: tools.map((name) => ({ type: 'function', name, description: name, parameters: schema })),
    }
    return clientCodecs['openai-responses'].decodeRequest(ResponseRequest.parse(body)).request
  },
  'anthropic-messages': ({ system, tools }, history) => {
    const messages = history.flatMap((event): object[] => {
      if (event.kind === 'step')
        return [
          {
            role: 'assistant',
            content: [
              ...(event.text ? [{ type: 'text', text: event.text }] : []),
              ...event.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
            ],
          },
          {
            role: 'user',
            content: event.calls.map(({ id, result, pictured }) => ({
              type: 'tool_result',
              tool_use_id: id,
              content: pictured
                ? [
                    { type: 'text', text: result },
                    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
                  ]
                : result,
            })),
          },
        ]
      const role = event.kind === 'end' ? 'assistant' : event.kind
      return [{ role, content: event.text }]
    })
    const body = {
      messages,
      ...(system && { system }),
      ...(tools.length > 0 && {
        tools: tools.map((name) => ({ name, description: name, input_schema: schema })),
      }),
    }
    return decodeMessages(body).request
  },
  'gemini-generate': ({ system, tools }, history) => {
    const contents = history.flatMap((event): object[] => {
      if (event.kind !== 'step')
        return [{ role: event.kind === 'end' ? 'model' : 'user', parts: [{ text: event.text }] }]
      return [
        {
          role: 'model',
          parts: [
            ...(event.text ? [{ text: event.text }] : []),
            // Google's own calls often have no id.
            ...event.calls.map(({ name, args }) => ({ functionCall: { name, args } })),
          ],
        },
        {
          role: 'user',
          parts: event.calls.map(({ name, result }) => ({
            functionResponse: { name, response: { result } },
          })),
        },
      ]
    })
    const body = {
      contents,
      ...(system && { systemInstruction: { parts: [{ text: system }] } }),
      ...(tools.length > 0 && {
        tools: [
          { functionDeclarations: tools.map((name) => ({ name, description: name, parameters: schema })) },
        ],
      }),
    }
    return decodeGemini(body).request
  },
}

/** The formats in which the gateway marks prompts. */
const MARKED: readonly ApiFormat[] = ['anthropic-messages', 'bedrock-converse']

interface Sent {
  /** The prompt in the order in which a provider caches it, in parts that are only ever appended. */
  parts: string[]
  /** The numbers of the parts that have a mark. */
  marks: number[]
}

const LISTS: Readonly<Record<ApiFormat, { items: string; blocks: string | null }>> = {
  'openai-chat': { items: 'messages', blocks: null },
  'openai-responses': { items: 'input', blocks: null },
  'anthropic-messages': { items: 'messages', blocks: 'content' },
  'gemini-generate': { items: 'contents', blocks: 'parts' },
  'bedrock-converse': { items: 'messages', blocks: 'content' },
}

function readSent(format: ApiFormat, body: JsonObject): Sent {
  const { items, blocks } = LISTS[format]
  const { [items]: conversation, toolConfig, tools = asObject(toolConfig).tools, system, ...rest } = body
  const flat = listObjects(conversation).flatMap((item): unknown[] =>
    blocks === null ? [item] : listObjects(item[blocks]).map((block) => ({ role: item.role, ...block })),
  )
  const all = [
    rest,
    ...listObjects(tools),
    ...(typeof system === 'string' ? [system] : listObjects(system)),
    ...flat,
  ]
  const MARK = /,"cache_control":\{[^}]*\}/g
  const texts: string[] = []
  for (const part of all) {
    // Converse's marks are blocks of their own: they are those of the blocks before.
    if (isObject(part) && 'cachePoint' in part) texts.push(`${texts.pop()},"cache_control":{}`)
    else texts.push(JSON.stringify(part))
  }
  return {
    parts: texts.map((text) => text.replace(MARK, '')),
    marks: texts.flatMap((text, at) => (MARK.test(text) ? [at] : [])),
  }
}

function send(request: ChatRequest, apiFormat: ApiFormat, over: Partial<Target> = {}): Sent {
  const cache = { session: 'ses_1', lifetime: '5m' as const }
  const upstreamModel = 'anthropic.claude-sonnet-4-6'
  const target = testTarget('http://127.0.0.1:1', { apiFormat, cache, upstreamModel, ...over })
  const adapted =
    apiFormat === 'openai-chat'
      ? adaptTranslated(request, target.quirks, { reasons: false, outputTokens: 1_000 })
      : request
  return readSent(apiFormat, asObject(parseJson(codecFor(target).chatRequest(adapted, target).body)))
}

describe.each(NATIVE_FORMATS)('requests of %s clients', (clientFormat) => {
  it.each(API_FORMATS.filter((format) => format !== clientFormat))(
    'to %s begin like the one before',
    (format) => {
      fc.assert(
        fc.property(conversation, (given) => {
          let before: Sent | null = null
          for (const [at, history] of listTurns(given).entries()) {
            // Converse needs tools where there are calls.
            if (format === 'bedrock-converse') fc.pre(given.tools.length > 0)
            // The order of tools counts for nothing where the gateway marks the prompt.
            const tools = MARKED.includes(format) && at % 2 === 1 ? given.tools.toReversed() : given.tools
            const sent = send(clients[clientFormat]({ ...given, tools }, history, at), format)
            if (before) expect(sent.parts.slice(0, before.parts.length)).toEqual(before.parts)
            // The end of the turn before has a mark again, so that it is found however much came since.
            if (before && before.marks.length > 0) expect(sent.marks).toContain(before.marks.at(-1))
            before = sent
          }
        }),
        { numRuns: 40 },
      )
    },
  )
})
