// Streams of the Responses API for tests, written from deltas of a chat stream.
import { expect } from 'vitest'
import type { ChatChunk } from '../../../../../shared/formats/chat-completion.ts'
import { SseReader } from '../../../framing/sse.ts'
import type { JsonObject } from '../../../json/json.ts'
import { openaiResponsesClient } from '../codec.ts'

export const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 2 },
  cost: 0.5,
}
const data = { type: 'thinking', thinking: 'Hm', signature: 's' }
export const signed = { format: 'anthropic-messages' as const, data }

export const createContext = (body: object) => ({
  requestId: 'req_1',
  model: 'served',
  created: 7,
  body: { model: 'm', input: 'Hi', ...body },
})

export type Delta = ChatChunk['choices'][number]['delta']

export function chunk(delta: Delta, finish_reason: string | null = null): ChatChunk {
  const choices = [{ index: 0, delta, finish_reason }]
  return { id: 'x', object: 'chat.completion.chunk', created: 7, model: 'x', choices }
}

/** The data of each event, with the name that it is sent under checked. */
export function read(text: string): JsonObject[] {
  const reader = new SseReader()
  const items = [...reader.read(Buffer.from(text)), ...reader.end()]
  return items.map((item) => {
    if (item.type !== 'event') throw new Error(item.type)
    const value = JSON.parse(item.data)
    expect(item.event).toBe(value.type)
    return value
  })
}

export function stream(deltas: readonly Delta[], finish = 'stop', body: object = {}): JsonObject[] {
  const writer = openaiResponsesClient.streamWriter(createContext(body))
  const written = [...deltas.map((delta) => chunk(delta)), chunk({}, finish)].map((c) =>
    writer.chunk(c, null),
  )
  return read(written.join('') + writer.end(usage))
}

/** The types of the events that are specific to the output. */
export const listTypes = (events: JsonObject[]) =>
  events.slice(2, -1).map(({ type }) => String(type).replace(/^response\./, ''))
export const getResponse = (events: JsonObject[]) => Object(events.at(-1)?.response)

const callDelta = (index: number, more: object): Delta => ({ tool_calls: [{ index, ...more }] })
export const begins = (index: number, id: string, name: string, args = ''): Delta =>
  callDelta(index, { id, type: 'function', function: { name, arguments: args } })
export const continues = (index: number, args: string): Delta =>
  callDelta(index, { function: { arguments: args } })
