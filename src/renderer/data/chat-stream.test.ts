import { expect, it } from 'vitest'
import { type ChatPart, readChatStream } from './chat-stream.ts'

/** A body that arrives in pieces of `size` bytes. */
function createBody(text: string, size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
}

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', ...fields })}\n\n`
const delta = (content: string, finish: string | null = null) =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })
const usage = chunk({
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, cost: 0.000012 },
})

async function read(text: string, size = 1000): Promise<ChatPart[]> {
  const parts: ChatPart[] = []
  for await (const part of readChatStream(createBody(text, size), 'req_1')) parts.push(part)
  return parts
}

it('reads text, usage and cost, wherever the bytes are split', async () => {
  const stream = `${delta('Grüße ')}: comment\n\n${delta('🙂', 'stop')}${usage}data: [DONE]\n\n`
  const whole = await read(stream)
  expect(
    whole.filter(({ type }) => type === 'text').map((part) => ('text' in part ? part.text : '')),
  ).toEqual(['Grüße ', '🙂'])
  expect(whole).toContainEqual({ type: 'usage', tokensIn: 3, tokensOut: 2, costUsd: 0.000012 })
  expect(whole.at(-1)).toEqual({ type: 'finished' })
  for (const size of [1, 2, 3, 7]) expect(await read(stream, size)).toEqual(whole)
})

it('throws the error of an error chunk', async () => {
  const stream =
    delta('half') +
    chunk({ error: { type: 'upstream_error', message: 'The provider closed the connection.' } })
  await expect(read(stream)).rejects.toMatchObject({
    type: 'upstream_error',
    message: 'The provider closed the connection.',
    requestId: 'req_1',
  })
})

it('treats an end without [DONE] as a failure', async () => {
  await expect(read(delta('half'))).rejects.toMatchObject({ type: 'upstream_error', requestId: 'req_1' })
})

it('keeps reasoning apart from the answer', async () => {
  const thought = chunk({ choices: [{ index: 0, delta: { reasoning_content: 'hm' }, finish_reason: null }] })
  expect(await read(`${thought}data: [DONE]\n\n`)).toContainEqual({ type: 'reasoning', text: 'hm' })
})
