import { beforeEach, describe, expect, it } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { startTestUpstream, type TestUpstream, testCompletion } from '../upstream/testing/test-upstream.ts'

const tollgate = forEachTest(() => startTestGateway())
const upstream: TestUpstream = forEachTest(() =>
  startTestUpstream((exchange) => exchange.reply(200, testCompletion(`Answer ${upstream.requests.length}`))),
)
const native = forEachTest(() => startTestUpstream((exchange) => exchange.reply(200, nativeAnswer)))
beforeEach(async () => {
  await tollgate.addProvider('acme', upstream.url, ['translated'])
  await tollgate.addProvider('same', native.url, ['native'], { apiFormat: 'openai-responses' })
})

const message = (id: string, text: string) => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
})
const nativeAnswer = {
  id: 'resp_of_provider',
  object: 'response',
  created_at: 7,
  status: 'completed',
  model: 'native',
  output: [message('msg_of_provider', 'Native answer')],
  usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
}

const storeBodies = (on: boolean) => tollgate.call('PATCH', '/v1/settings', { body: { storeBodies: on } })
const create = (body: object, as = tollgate.admin) =>
  tollgate.call('POST', '/v1/responses', { body: { model: 'translated', ...body }, as })
const get = (path: string, as = tollgate.admin) => tollgate.call('GET', `/v1/responses/${path}`, { as })

describe('with stored prompts and answers', () => {
  beforeEach(() => storeBodies(true))

  it('continues a conversation by the id of its last response, plain and streamed', async () => {
    const first = await create({ input: 'One', instructions: 'Only once.' })
    const streamed = await create({ input: 'Two', previous_response_id: first.json.id, stream: true })
    const [, id] = /"type":"response.completed".*?"id":"(resp_\w+)"/.exec(streamed.text) ?? []
    const third = await create({ input: [{ role: 'user', content: 'Three' }], previous_response_id: id })
    expect(third.json.previous_response_id).toBe(id)
    expect(upstream.requests[2]?.json().messages).toEqual([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Answer 1' },
      { role: 'user', content: 'Two' },
      { role: 'assistant', content: 'Answer 2' },
      { role: 'user', content: 'Three' },
    ])
  })

  it('sends the conversation to a provider of the same format, which does not know the id', async () => {
    const first = await create({ input: 'One' })
    const body = `{"model":"native", "seed":1e2, "previous_response_id":"${first.json.id}", "input":"Two"}`
    const second = await tollgate.call('POST', '/v1/responses', { body })
    expect(second.status).toBe(200)
    const sent = native.requests[0]
    expect(sent?.body).toContain('"seed":1e2')
    expect(sent?.json()).toEqual({
      model: 'native',
      seed: 100,
      input: [
        { type: 'message', role: 'user', content: 'One' },
        message(first.json.output[0].id, 'Answer 1'),
        { type: 'message', role: 'user', content: 'Two' },
      ],
    })
  })

  it('charges the history with its images, not the short request, where no usage is reported', async () => {
    const image_url = `data:image/png;base64,${'A'.repeat(40_000)}`
    const content = [
      { type: 'input_text', text: 'word '.repeat(2_000) },
      { type: 'input_image', image_url },
    ]
    const first = await create({ input: [{ role: 'user', content }] })
    upstream.handler = (exchange) => exchange.reset()
    await create({ input: 'Two', previous_response_id: first.json.id })
    const [record] = await tollgate.records()
    expect(record?.costStatus).toBe('unsettled')
    // The text has 10,000 bytes, and an image about 1,000 tokens.
    expect(record?.tokensIn).toBeGreaterThan(3_000)
    expect(record?.costUsd).toBeGreaterThan(0.003)
  })

  it('returns and deletes a response, and lists its input', async () => {
    const input = ['A', 'B', 'C'].map((content) => ({ role: 'user', content }))
    const { json: created } = await create({ input, stream: false })
    expect((await get(created.id)).json).toEqual(created)
    const page = await get(`${created.id}/input_items?limit=2`)
    expect(page.json).toMatchObject({
      object: 'list',
      has_more: true,
      data: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'C' }] },
        { content: [{ text: 'B' }] },
      ],
    })
    const rest = await get(`${created.id}/input_items?limit=2&after=${page.json.last_id}`)
    expect(rest.json).toMatchObject({ has_more: false, data: [{ content: [{ text: 'A' }] }] })
    const ascending = await get(`${created.id}/input_items?order=asc`)
    expect(ascending.json.first_id).toBe(rest.json.last_id)
    const gone = await tollgate.call('DELETE', `/v1/responses/${created.id}`)
    expect(gone.json).toEqual({ id: created.id, object: 'response', deleted: true })
    expect((await get(created.id)).status).toBe(404)
    expect((await tollgate.records())[0]).toMatchObject({ status: 'succeeded', bodiesKept: false })
  })

  it('deletes responses with all stored prompts', async () => {
    const { json } = await create({ input: 'One' })
    await tollgate.call('DELETE', '/v1/requests/bodies')
    expect((await get(json.id)).json.error).toMatchObject({ code: 'response_not_found', param: null })
    const next = await create({ input: 'Two', previous_response_id: json.id })
    expect([next.status, next.json.error.param]).toEqual([400, 'previous_response_id'])
  })

  it('does not store what the client excludes, and finds responses only for their own key', async () => {
    const { json: excluded } = await create({ input: 'One', store: false })
    expect((await get(excluded.id)).json.error.message).toContain('"store": false')
    const { json: own } = await create({ input: 'One' })
    const { secret } = await tollgate.createKey({ name: 'other', scope: 'full' })
    expect((await get(own.id, secret)).status).toBe(404)
    expect((await create({ input: 'Two', previous_response_id: own.id }, secret)).status).toBe(400)
    expect((await get('resp_none')).status).toBe(404)
    expect((await get('req_none')).status).toBe(404)
  })

  it('passes an id that is not known here on to a provider of the same format', async () => {
    const body = '{"model":"native","previous_response_id":"resp_of_provider","input":"Two"}'
    expect((await tollgate.call('POST', '/v1/responses', { body })).status).toBe(200)
    expect(native.requests[0]?.json()).toMatchObject({
      previous_response_id: 'resp_of_provider',
      input: 'Two',
    })
  })
})

it('without them, refuses to continue by an id, and says what to do instead', async () => {
  const { json } = await create({ input: 'One' })
  const next = await create({ input: 'Two', previous_response_id: json.id })
  expect(next.status).toBe(400)
  expect(next.json.error).toMatchObject({
    type: 'invalid_request_error',
    code: 'previous_response_not_found',
    param: 'previous_response_id',
    message: expect.stringMatching(/"Store prompts and answers".*"store" to false/),
  })
  expect((await get(json.id)).json.error.message).toContain('"Store prompts and answers"')
})

describe('references to recent items', () => {
  const reference = (id: string) => ({ type: 'item_reference', id })
  const ask = (...items: object[]) => ({ input: [...items, { role: 'user', content: 'And?' }] })

  it('are resolved in memory, for providers of every format', async () => {
    const { json } = await create({ input: 'One' })
    const [{ id }] = json.output
    expect((await create(ask(reference(id)))).status).toBe(200)
    expect(upstream.requests[1]?.json().messages).toEqual([
      { role: 'assistant', content: 'Answer 1' },
      { role: 'user', content: 'And?' },
    ])
    expect((await create({ model: 'native', ...ask({ id }) })).status).toBe(200)
    expect(native.requests[0]?.json().input).toEqual([
      message(id, 'Answer 1'),
      { role: 'user', content: 'And?' },
    ])
    // An item of a native answer.
    await create(ask(reference('msg_of_provider')))
    expect(upstream.requests[2]?.json().messages).toMatchObject([{ content: 'Native answer' }, {}])
  })

  it('of another key, of a response that is not stored, and unknown ones are refused, but pass natively', async () => {
    const { json } = await create({ input: 'One' })
    const { json: excluded } = await create({ input: 'One', store: false })
    const { secret } = await tollgate.createKey({ name: 'other', scope: 'full' })
    for (const [id, as] of [
      [json.output[0].id, secret],
      [excluded.output[0].id, tollgate.admin],
      ['msg_unknown', tollgate.admin],
    ]) {
      const answer = await create(ask(reference(id)), as)
      expect([answer.status, answer.json.error?.param]).toEqual([400, 'input[0].id'])
      expect(answer.json.error.message).toContain('Set "store" to false')
    }
    expect((await create({ model: 'native', ...ask(reference('msg_unknown')) })).status).toBe(200)
    expect(native.requests[0]?.json().input).toMatchObject([reference('msg_unknown'), {}])
  })
})
