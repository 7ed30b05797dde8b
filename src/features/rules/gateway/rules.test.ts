// Rules in requests, over HTTP and at a provider of the clients' own formats.
import { once } from 'node:events'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'
import { NO_TOKENS, vendorFormats } from '../../../gateway/upstream/testing/vendor-formats.ts'

const clock = { wall: Date.parse('2026-11-24T12:00:00Z'), now: () => clock.wall }
const usage = { input_tokens: 1_000, output_tokens: 100, cache_read_input_tokens: 5_000 }
let failing: string | null = null
const upstream = await forFile(
  startTestUpstream((exchange) => {
    const { model } = exchange.request.json()
    if (model === failing)
      return exchange.reply(500, { type: 'error', error: { type: 'api_error', message: 'no' } })
    const content = [{ type: 'text', text: 'Hello' }]
    exchange.reply(200, {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content,
      stop_reason: 'end_turn',
      usage,
    })
  }),
)
const gateway = await forFile(startTestGateway({ clock }))
const BIG = 'claude-opus-5-5'
const SMALL = 'claude-haiku-4-5'
await gateway.addProvider('anthropic', `${upstream.url}/v1`, [BIG, SMALL], {
  apiFormat: 'anthropic-messages',
})
const price = (inputPerMillion: number) => ({
  ...{ inputPerMillion, outputPerMillion: inputPerMillion * 5 },
  ...{ cacheReadPerMillion: inputPerMillion / 10, cacheWritePerMillion: inputPerMillion * 1.25 },
})
const put = (model: string, usd: number, more = {}) =>
  gateway.call('PUT', `/v1/models/${model}`, {
    body: {
      provider: 'anthropic',
      pricing: price(usd),
      maxOutputTokens: 8_000,
      contextWindow: 200_000,
      ...more,
    },
  })
await put(BIG, 10)
await put(SMALL, 1)
/** 1,000 tokens, 5,000 from the cache and 100 of output. */
const cost = (usd: number) => (usd * (1_000 + 500 + 500)) / 1e6

const addRule = async (rule: object) => {
  const { status, json, text } = await gateway.call('POST', '/v1/rules', { body: { mode: 'on', ...rule } })
  if (status !== 201) throw new Error(text)
  clock.wall += 1_000
  return json
}
const toSmall = { kind: 'model', model: SMALL }

beforeEach(async () => {
  failing = null
  const { json } = await gateway.call('GET', '/v1/rules')
  for (const { id } of json.data) await gateway.call('DELETE', `/v1/rules/${id}`)
  upstream.requests.length = 0
  clock.wall += 60_000
})

interface Asked {
  as?: string
  agent?: string
  body?: object
  headers?: Record<string, string>
  turns?: number
}
const tools = [{ name: 'f', input_schema: { type: 'object' } }]
const talk = (turns: number) =>
  Array.from({ length: turns * 2 - 1 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content:
      at % 2 === 0
        ? `Question ${at}`
        : [
            { type: 'thinking', thinking: 't', signature: `s${at}` },
            { type: 'text', text: 'A' },
          ],
  }))

const ask = async (session: string, { as = gateway.admin, agent, body, headers, turns = 1 }: Asked = {}) => {
  clock.wall += 10
  const answer = await gateway.call('POST', '/v1/messages', {
    as: '',
    headers: {
      'x-api-key': as,
      'anthropic-version': '2023-06-01',
      'x-claude-code-session-id': session,
      ...(agent !== undefined && { 'x-claude-code-agent-id': agent }),
      ...headers,
    },
    body: { model: BIG, max_tokens: 500, tools, messages: talk(turns), ...body },
  })
  return {
    ...answer,
    model: answer.headers.get('x-service-model'),
    rule: answer.headers.get('x-tollgate-rule'),
  }
}
const lastSent = () => upstream.requests.at(-1)?.json() ?? {}
const effects = async (query = '') => (await gateway.call('GET', `/v1/rules/requests${query}`)).json.data

describe('a rule that acts at the start', () => {
  test('serves sub-agents with another model, and says so in headers, the log and its sums', async () => {
    const { id } = await addRule({ name: 'Small', when: [{ kind: 'caller', is: 'subagent' }], do: [toSmall] })
    expect(await ask('s1')).toMatchObject({ status: 200, model: BIG, rule: null })
    const answer = await ask('s1', { agent: 'a1' })
    expect(answer).toMatchObject({ status: 200, model: SMALL, rule: 'Small' })
    const [record] = await gateway.records()
    expect(record).toMatchObject({ requestedModel: BIG, model: SMALL, costUsd: cost(1) })
    expect(record?.rules).toMatchObject([{ ruleId: id, savedUsd: expect.any(Number) }])
    const [effect] = await effects(`?request=${record?.id}`)
    expect(effect).toMatchObject({
      ruleId: id,
      ruleName: 'Small',
      shadow: false,
      askedModel: BIG,
      unable: null,
    })
    expect(effect.changes).toEqual([{ field: 'model', asked: BIG, sent: SMALL }])
    expect(effect.savedUsd).toBeCloseTo(cost(10) - cost(1), 12)
    const { json } = await gateway.call('GET', '/v1/rules')
    expect(json.data).toMatchObject([
      {
        id,
        sentence: `Sub-agents use ${SMALL}.`,
        acted: { requests: 1, unpriced: 0 },
        shadowed: { requests: 0 },
      },
    ])
  })

  test('is for sessions that begin later, and stays with them, also after a restart', async () => {
    expect(await ask('early')).toMatchObject({ model: BIG })
    const { id } = await addRule({ do: [toSmall] })
    expect(await ask('early', { turns: 2 })).toMatchObject({ model: BIG, rule: null })
    expect(await ask('late')).toMatchObject({ model: SMALL })
    await gateway.restart()
    expect(await ask('early', { turns: 3 })).toMatchObject({ model: BIG })
    expect(await ask('late', { turns: 2 })).toMatchObject({ model: SMALL })
    await gateway.call('PATCH', `/v1/rules/${id}`, { body: { mode: 'off' } })
    expect(await ask('late', { turns: 3 })).toMatchObject({ model: BIG, rule: null })
  })

  test('looks at limits as they were then', async () => {
    const { secret } = await gateway.createKey({ name: 'k', scope: 'full', spendLimitUsd: cost(10) * 2 })
    await addRule({ when: [{ kind: 'budget', of: 'key', percent: 50 }], do: [toSmall] })
    expect(await ask('one', { as: secret })).toMatchObject({ model: BIG })
    expect(await ask('two', { as: secret })).toMatchObject({ model: SMALL })
    expect((await ask('one', { as: secret, turns: 2 })).model).not.toBe(SMALL)
  })
})

test('a rule for any time moves a conversation between turns, without the reasoning of the other model', async () => {
  const { secret } = await gateway.createKey({ name: 'k', scope: 'full', spendLimitUsd: cost(10) * 100 })
  await ask('s', { as: secret })
  await addRule({
    when: [{ kind: 'budget', of: 'key', percent: 1 }],
    do: [toSmall],
    at: 'any',
    name: 'Later',
  })
  const result = [{ type: 'tool_result', tool_use_id: 't', content: 'x' }]
  const use = [{ type: 'tool_use', id: 't', name: 'f', input: {} }]
  const running = [...talk(1), { role: 'assistant', content: use }, { role: 'user', content: result }]
  expect(await ask('s', { as: secret, body: { messages: running } })).toMatchObject({
    model: BIG,
    rule: null,
  })
  expect(await ask('s', { as: secret, turns: 3 })).toMatchObject({ model: SMALL, rule: 'Later' })
  const first = lastSent().messages as object[]
  expect(JSON.stringify(first)).not.toContain('thinking')
  const [effect] = await effects()
  // 1,000 tokens at 1 USD per million, which a cache would have read at a tenth.
  expect(effect.rewriteUsd).toBeCloseTo(0.0009, 12)
  expect(await ask('s', { as: secret, turns: 4 })).toMatchObject({ model: SMALL })
  const next = lastSent().messages as object[]
  expect(next.slice(0, first.length)).toEqual(first)
  // Its own reasoning, which came after.
  expect(JSON.stringify(next.at(-2))).toContain('thinking')
})

describe('the other model', () => {
  test('gets the request as it accepts it', async () => {
    await addRule({ do: [toSmall] })
    const body = {
      max_tokens: 64_000,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'xhigh' },
      speed: 'fast',
    }
    expect(await ask('fit', { body })).toMatchObject({ status: 200, model: SMALL })
    const sent = lastSent()
    expect(sent).toMatchObject({ model: SMALL, max_tokens: 8_000, output_config: {} })
    expect(sent).not.toHaveProperty('thinking')
    expect(sent).not.toHaveProperty('speed')
  })

  test.each([
    ['is not allowed for the key', { allowedModels: [BIG] }, {}],
    ['is too small for the prompt', {}, { system: 'x'.repeat(700_000) }],
  ])('does not serve where it %s, and the request goes on as it was asked', async (why, key, body) => {
    const { secret } = await gateway.createKey({ name: why, scope: 'full', ...key })
    await addRule({ do: [toSmall], name: 'Never' })
    await put(BIG, 10, { contextWindow: 1_000_000 })
    expect(await ask(why, { as: secret, body })).toMatchObject({ status: 200, model: BIG, rule: null })
    await put(BIG, 10)
    const [effect] = await effects()
    expect(effect).toMatchObject({ changes: [], unable: expect.any(String) })
  })

  test('is replaced by the requested one if it fails', async () => {
    await addRule({ do: [toSmall] })
    failing = SMALL
    expect(await ask('fails')).toMatchObject({ status: 200, model: BIG, rule: null })
    expect(lastSent()).toMatchObject({ model: BIG, max_tokens: 500 })
    expect((await effects())[0]).toMatchObject({ changes: [], unable: 'The other model did not answer.' })
  })

  test('is not kept from serving by what the dearer one would reserve', async () => {
    const { secret } = await gateway.createKey({
      name: 'k',
      scope: 'full',
      spendLimitUsd: 0.01,
      strict: true,
    })
    await addRule({ do: [toSmall] })
    expect(await ask('tight', { as: secret })).toMatchObject({ status: 200, model: SMALL })
  })
})

test('what a rule lowers, it names; all other bytes are the client’s', async () => {
  await addRule({
    name: 'Guard',
    do: [
      { kind: 'remove', what: ['speed', 'window', 'cache'] },
      { kind: 'effort', atMost: 'medium' },
      { kind: 'thinking', atMost: 2_000 },
    ],
  })
  const body = {
    speed: 'fast',
    output_config: { effort: 'max' },
    thinking: { type: 'enabled', budget_tokens: 9_000 },
    max_tokens: 500,
  }
  const { status, rule, model } = await ask('low', {
    body,
    headers: { 'anthropic-beta': 'fast-mode-2026-02-01,context-1m-2025-08-07,a-1' },
  })
  expect([status, rule, model]).toEqual([200, 'Guard', BIG])
  const sent = upstream.requests.at(-1)
  const expected = { model: BIG, max_tokens: 500, tools, messages: talk(1) }
  expect(sent?.json()).toEqual({
    ...expected,
    output_config: { effort: 'medium' },
    thinking: { type: 'enabled', budget_tokens: 2_000 },
  })
  expect(sent?.headers['anthropic-beta']).toBe('a-1')
  const [effect] = await effects()
  expect(effect.changes).toEqual([
    { field: 'output_config.effort', asked: 'max', sent: 'medium' },
    { field: 'thinking.budget_tokens', asked: '9000', sent: '2000' },
    { field: 'speed', asked: 'fast', sent: null },
    { field: 'anthropic-beta', asked: 'context-1m-2025-08-07', sent: null },
  ])
})

test.each([
  ['/v1/messages', { messages: [{ role: 'user', content: 'Hi' }], speed: 'fast', max_tokens: 9 }, 'speed'],
  [
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: 'Hi' }], service_tier: 'priority' },
    'service_tier',
  ],
  ['/v1/responses', { input: 'Hi', service_tier: 'priority' }, 'service_tier'],
  [
    `/v1beta/models/${BIG}:generateContent`,
    { contents: [{ parts: [{ text: 'Hi' }] }], serviceTier: 'priority' },
    'serviceTier',
  ],
])('%s is denied in its own format, with the field and the rule', async (path, body, field) => {
  await addRule({
    name: 'No premium',
    when: [{ kind: 'premium', any: ['tier', 'speed'] }],
    do: [{ kind: 'deny' }],
  })
  const model = path.includes('generateContent') ? {} : { model: BIG }
  const { status, text } = await gateway.call('POST', path, { body: { ...model, ...body } })
  expect(status).toBe(403)
  expect(text).toContain('No premium')
  expect(text).toContain(field)
  expect(upstream.requests).toEqual([])
  const [record] = await gateway.records()
  expect(record).toMatchObject({ status: 'refused', httpStatus: 403, rules: [{ ruleName: 'No premium' }] })
  expect((await effects(`?request=${record?.id}`))[0]).toMatchObject({ ruleName: 'No premium' })
})

test('every turn of a WebSocket is lowered, denied or asked about', async () => {
  const vendor = await startTestUpstream((exchange) => {
    const { model } = exchange.request.json()
    const usage = vendorFormats['openai-responses'].usage({ ...NO_TOKENS, input: 10, text: 5 })
    exchange.answer('openai-responses', { texts: ['Hi'], model: String(model), usage, id: 'resp_1' })
  })
  onTestFinished(() => vendor.close())
  await gateway.addProvider('vendor', `${vendor.url}/v1`, ['gpt-turns'], { apiFormat: 'openai-responses' })
  await addRule({
    name: 'Guard',
    do: [
      { kind: 'remove', what: ['tier', 'tools'] },
      { kind: 'effort', atMost: 'low' },
    ],
  })
  const socket = new WebSocket(`${gateway.baseUrl.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${gateway.admin}` },
  })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const turn = async (body: object) => {
    socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-turns', input: 'Hi', ...body }))
    for (;;) {
      const [message] = await once(socket, 'message')
      const event = JSON.parse(String(message))
      if (event.type === 'response.completed' || event.type === 'error') return event
    }
  }
  const tools = [{ type: 'function', name: 'f', parameters: {} }, { type: 'web_search' }]
  for (let number = 1; number <= 2; number += 1) {
    expect(await turn({ service_tier: 'priority', tools, reasoning: { effort: 'high' } })).toMatchObject({
      type: 'response.completed',
    })
    const sent = vendor.requests.at(-1)?.json()
    expect(sent).not.toHaveProperty('service_tier')
    expect(sent).toMatchObject({ tools: [tools[0]], reasoning: { effort: 'low' } })
    expect((await effects())[0]).toMatchObject({
      changes: [{ field: 'reasoning.effort' }, { field: 'service_tier' }, { field: 'tools[1]' }],
    })
  }
  const { id } = await addRule({
    name: 'No tier',
    when: [{ kind: 'premium', any: ['tier'] }],
    do: [{ kind: 'deny' }],
    at: 'any',
  })
  await gateway.call('PATCH', `/v1/rules/${id}`, { body: { position: 0 } })
  expect(await turn({ service_tier: 'priority' })).toMatchObject({
    ...{ type: 'error', status: 403 },
    error: { code: 'denied_by_rule', param: 'service_tier' },
  })
  await gateway.call('PATCH', `/v1/rules/${id}`, { body: { do: [{ kind: 'ask' }] } })
  const waiting = turn({ service_tier: 'priority' })
  const list = async () => (await gateway.call('GET', '/v1/approvals')).json.data
  await expect.poll(list).toMatchObject([{ kind: 'rule', model: 'gpt-turns' }])
  const [{ id: question }] = await list()
  await gateway.call('POST', `/v1/approvals/${question}`, { body: { decision: 'stop' } })
  expect(await waiting).toMatchObject({ type: 'error', status: 403, error: { code: 'denied_by_rule' } })
})

test('a rule that is only tried changes nothing, and records what it would have done', async () => {
  await addRule({ name: 'Tried', mode: 'shadow', do: [toSmall] })
  expect(await ask('shadow')).toMatchObject({ model: BIG, rule: null })
  expect(await ask('shadow', { turns: 2 })).toMatchObject({ model: BIG })
  const [second, first] = await effects()
  for (const effect of [first, second])
    expect(effect).toMatchObject({
      ruleName: 'Tried',
      shadow: true,
      changes: [{ field: 'model', sent: SMALL }],
    })
  expect(second.savedUsd).toBeCloseTo(cost(10) - cost(1), 12)
  // The first request would have written what it read from the cache: 5,000 tokens at 1.25 instead of 0.1 USD per million.
  expect([first.rewriteUsd, second.rewriteUsd]).toEqual(
    [5_000 * 1.15e-6, 0].map((usd) => expect.closeTo(usd, 12)),
  )
})

test('a rehearsal finds what the rule records while it is only tried, to the nano-dollar', async () => {
  const { secret } = await gateway.createKey({ name: 'k', scope: 'full', spendLimitUsd: cost(10) * 12 })
  const headers = { 'x-tollgate-tag': 'rehearsed' }
  const rule = {
    when: [
      { kind: 'tag', tags: ['rehearsed'] },
      { kind: 'budget', of: 'key', percent: 30 },
    ],
    do: [toSmall, { kind: 'remove', what: ['cache', 'speed'] }],
  }
  const system = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }]
  const { id } = await addRule({ ...rule, mode: 'shadow' })
  await addRule({ do: [{ kind: 'effort', atMost: 'low' }], when: [{ kind: 'caller', is: 'main' }] })
  for (const [at, session] of ['a', 'b', 'c', 'd'].entries())
    for (const turns of [1, 2]) {
      const agents = at % 2 === 0 ? {} : { agent: `agent of ${session}` }
      const body = turns === 1 ? { system } : { output_config: { effort: 'high' } }
      await ask(session, { as: secret, headers, turns, body, ...agents })
    }
  const { json } = await gateway.call('GET', '/v1/rules')
  const { shadowed } = json.data.find((each: { id: string }) => each.id === id)
  const rehearsed = await gateway.call('POST', '/v1/rehearse', { body: { rule, id } })
  expect(shadowed.requests).toBeGreaterThan(3)
  expect(rehearsed.json).toMatchObject({
    ...{ changed: shadowed.requests, savedUsd: shadowed.savedUsd, rewriteUsd: shadowed.rewriteUsd },
    ...{ unpriced: 0, unknown: 0, imported: 0 },
  })
  expect(rehearsed.json.afterUsd).toBeCloseTo(
    rehearsed.json.beforeUsd - shadowed.savedUsd + shadowed.rewriteUsd,
    12,
  )
  // A rule before it leaves less to it.
  await addRule({ do: [{ kind: 'deny' }], when: [{ kind: 'caller', is: 'subagent' }] }).then(
    ({ id: first }) => gateway.call('PATCH', `/v1/rules/${first}`, { body: { position: 0 } }),
  )
  const less = await gateway.call('POST', '/v1/rehearse', { body: { rule, id } })
  expect(less.json.changed).toBeLessThan(shadowed.requests)
  expect(less.json.changed).toBeGreaterThan(0)
})

test('a denial that is only tried counts as in a rehearsal', async () => {
  const { id: keyId, secret } = await gateway.createKey({ name: 'k', scope: 'full' })
  const rule = { name: 'Tried', when: [{ kind: 'key', keys: [keyId] }], do: [{ kind: 'deny' }] }
  const { id } = await addRule({ ...rule, mode: 'shadow' })
  expect(await ask('tried', { as: secret })).toMatchObject({ status: 200, rule: null })
  const changes = [{ field: 'request', asked: BIG, sent: null }]
  expect(await effects(`?rule=${id}`)).toMatchObject([{ shadow: true, changes }])
  const { json } = await gateway.call('GET', '/v1/rules')
  const [{ shadowed }] = json.data
  const rehearsed = await gateway.call('POST', '/v1/rehearse', { body: { rule, id } })
  expect(shadowed).toMatchObject({ requests: 1, savedUsd: cost(10) })
  expect(rehearsed.json).toMatchObject({ changed: 1, savedUsd: shadowed.savedUsd })
})

test('facts that no rule needs are recorded as they were when the request came', async () => {
  const { secret } = await gateway.createKey({ name: 'k', scope: 'full', spendLimitUsd: cost(10) * 4 })
  const headers = { 'x-tollgate-tag': 'facts' }
  await addRule({ mode: 'shadow', do: [{ kind: 'effort', atMost: 'low' }] })
  for (const turns of [1, 2, 3]) await ask('facts', { as: secret, headers, turns })
  // A quarter was used when the second one came, and half when the third one came.
  const rehearse = async (percent: number) => {
    const when = [
      { kind: 'tag', tags: ['facts'] },
      { kind: 'budget', of: 'key', percent },
    ]
    const body = { rule: { when, do: [{ kind: 'deny' }], at: 'any' } }
    return (await gateway.call('POST', '/v1/rehearse', { body })).json.changed
  }
  expect([await rehearse(20), await rehearse(40), await rehearse(60)]).toEqual([2, 1, 0])
})

test('the first rule that holds acts; a change of their order is one of their place', async () => {
  const one = await addRule({ name: 'One', do: [{ kind: 'effort', atMost: 'low' }] })
  await addRule({ name: 'Two', do: [toSmall] })
  const body = { output_config: { effort: 'high' } }
  expect(await ask('order', { body })).toMatchObject({ model: BIG, rule: 'One' })
  await gateway.call('PATCH', `/v1/rules/${one.id}`, { body: { position: 1 } })
  expect(await ask('order 2', { body })).toMatchObject({ model: SMALL, rule: 'Two' })
})

test('unknown rules are 404, and only an admin key changes rules', async () => {
  for (const method of ['PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { body: {} } : {}
    expect((await gateway.call(method, '/v1/rules/rule_x', body)).status).toBe(404)
  }
  const { secret } = await gateway.createKey({ name: 'k', scope: 'full' })
  expect(
    (await gateway.call('POST', '/v1/rules', { as: secret, body: { do: [{ kind: 'deny' }] } })).status,
  ).toBe(403)
})
