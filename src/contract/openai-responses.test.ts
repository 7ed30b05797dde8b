import {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import type { FunctionTool, ResponseInput, ResponseOutputItem } from 'openai/resources/responses/responses'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { forFile } from '../gateway/testing/lifetime.ts'
import { MOCK_MODELS, startMockProviders } from './testing/mock-providers.ts'
import { openaiFor } from './testing/openai-client.ts'
import { getRejection } from './testing/rejection.ts'
import { breaks, shareSection, startScriptedUpstream } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Client libraries')
await forFile(startMockProviders(tollgate))
const upstream = await forFile(startScriptedUpstream(tollgate))
await upstream.model('breaks', breaks)

const openai = openaiFor(tollgate)
const weather: FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
}
const ITEM_TYPES = ['message', 'reasoning', 'function_call', 'custom_tool_call'] as const
type Item = Extract<ResponseOutputItem, { type: (typeof ITEM_TYPES)[number] }>
const isItem = (item: ResponseOutputItem): item is Item => ITEM_TYPES.some((type) => type === item.type)
/** The output as input of the next request, unchanged. */
function asInput(output: ResponseOutputItem[]): ResponseInput {
  const items = output.filter(isItem)
  expect(items).toEqual(output)
  return items
}

describe.each(Object.entries(MOCK_MODELS))('over %s', (format, model) => {
  const over = (text: string) => `openai: ${text}, from a provider of the format ${format}`

  test(over('a plain response with its exact cost'), async () => {
    const { data, response, request_id } = await openai()
      .responses.create({ model, input: 'Hi', instructions: 'Be brief.' })
      .withResponse()
    expect(data).toMatchObject({ object: 'response', status: 'completed', output_text: 'Hello.', model })
    const { costUsd, costStatus, tokensIn, tokensOut, endpoint } = await tollgate.getRecord(request_id)
    expect(data.usage).toMatchObject({ input_tokens: tokensIn, output_tokens: tokensOut, cost: costUsd })
    expect([costStatus, endpoint]).toEqual(['exact', 'POST /v1/responses'])
    expect(Math.round(costUsd * 1e9)).toBe(1_000 * tokensIn + 2_000 * tokensOut)
    expect(response.headers.get('x-service-cost-usd')).toBe(costUsd.toFixed(6))
  })

  test(over('a stream and the .stream() helper, with the same response'), async () => {
    const client = openai()
    const types: string[] = []
    let text = ''
    for await (const event of await client.responses.create({ model, input: 'Hi', stream: true })) {
      types.push(event.type)
      if (event.type === 'response.output_text.delta') text += event.delta
    }
    expect(text).toBe('Hello.')
    expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed'])
    const final = await client.responses.stream({ model, input: 'Hi' }).finalResponse()
    expect(final).toMatchObject({ status: 'completed', output_text: 'Hello.' })
    const { costUsd } = await tollgate.getRecord(final.id.replace('resp_', 'req_'))
    expect(final.usage).toMatchObject({ cost: costUsd })
  })

  test(over('a tool loop with parallel calls and reasoning, plain and streamed'), async () => {
    for (const stream of [false, true]) {
      const input: ResponseInput = [{ role: 'user', content: 'The weather?' }]
      const params = { model, tools: [weather], store: false, reasoning: { effort: 'low' as const } }
      const ask = () =>
        stream
          ? openai()
              .responses.stream({ ...params, input })
              .finalResponse()
          : openai().responses.create({ ...params, input })
      const first = await ask()
      const calls = first.output.filter(isItem).filter((item) => item.type === 'function_call')
      expect(calls.map(({ name, arguments: args }) => [name, JSON.parse(args).city])).toEqual([
        ['get_weather', 'Rome'],
        ['get_weather', 'Oslo'],
      ])
      const reasoning = first.output.filter(isItem).filter((item) => item.type === 'reasoning')
      expect(reasoning[0]?.summary[0]?.text).toBe('I have a tool for it.')
      input.push(...asInput(first.output))
      for (const { call_id } of calls) input.push({ type: 'function_call_output', call_id, output: 'sunny' })
      expect((await ask()).output_text).toBe('It is sunny.')
    }
  })

  test(over('a custom tool'), async () => {
    const tools = [{ type: 'custom' as const, name: 'apply_patch', description: 'Edits files' }]
    const input: ResponseInput = [{ role: 'user', content: 'Please patch it' }]
    const { output } = await openai().responses.stream({ model, tools, input }).finalResponse()
    const call = output.find((item) => item.type === 'custom_tool_call')
    expect(call).toMatchObject({ name: 'apply_patch', input: '*** Begin\n+é' })
    input.push(...asInput(output))
    input.push({ type: 'custom_tool_call_output', call_id: call?.call_id ?? '', output: 'Done' })
    expect((await openai().responses.create({ model, tools, input })).output_text).toBe('Patched.')
  })

  test(over('.parse() into a schema'), async () => {
    const format = zodTextFormat(z.object({ city: z.string() }), 'place')
    const { output_parsed } = await openai().responses.parse({
      model,
      input: 'Which city?',
      text: { format },
    })
    expect(output_parsed).toEqual({ city: 'Rome' })
  })
})

test('openai: a conversation is continued by the id of a response, which can be deleted', async () => {
  await tollgate.call('PATCH', '/v1/settings', { body: { storeBodies: true } })
  const { responses } = openai()
  const model = 'sandbox-small'
  const first = await responses.create({ model, input: 'My name is Ada.' })
  const second = await responses.create({ model, input: 'What is it?', previous_response_id: first.id })
  expect(second.previous_response_id).toBe(first.id)
  expect((second.usage?.input_tokens ?? 0) > (first.usage?.input_tokens ?? 0)).toBe(true)
  expect((await responses.retrieve(first.id)).output).toEqual(first.output)
  const items = []
  for await (const item of responses.inputItems.list(second.id)) items.push(item)
  expect(items).toMatchObject([{ type: 'message', role: 'user', content: [{ text: 'What is it?' }] }])
  await responses.delete(first.id)
  await expect(responses.retrieve(first.id)).rejects.toThrow(NotFoundError)
  await tollgate.call('PATCH', '/v1/settings', { body: { storeBodies: false } })
})

test('openai: errors of responses are its classes, with our text', async () => {
  const model = 'sandbox-small'
  const readOnly = await tollgate.createKey({ name: 'r', scope: 'read-only' })
  const slow = await tollgate.createKey({ name: 'slow', scope: 'full', rpmLimit: 1 })
  const ask = (key: string, body: object = {}) =>
    openai(key).responses.create({ model, input: 'Hi', ...body })
  await expect(ask('tg-wrong')).rejects.toThrow(AuthenticationError)
  await expect(ask(readOnly.secret)).rejects.toThrow(PermissionDeniedError)
  const missing = getRejection(ask(tollgate.admin, { model: 'none-1' }))
  expect(await missing).toBeInstanceOf(NotFoundError)
  expect(await missing).toMatchObject({ message: expect.stringContaining('none-1'), param: 'model' })
  expect(await getRejection(ask(tollgate.admin, { background: true }))).toMatchObject({
    status: 400,
    param: 'background',
  })
  await expect(ask(tollgate.admin, { temperature: 9 })).rejects.toThrow(BadRequestError)
  await ask(slow.secret)
  await expect(ask(slow.secret)).rejects.toThrow(RateLimitError)
  const broken = getRejection(openai().responses.stream({ model: 'breaks', input: 'Hi' }).finalResponse())
  expect(await broken).toMatchObject({ message: expect.stringContaining('it broke'), type: 'upstream_error' })
})
