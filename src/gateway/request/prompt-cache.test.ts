import { describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { asObject } from '../formats/json/json.ts'
import { createFlatPrice } from '../models/catalog/price-bands.ts'
import { LiveSession } from '../sessions/live-sessions.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { type CachedUsage, ScriptedPromptCache, weighUsage } from '../testing/scripted-prompt-cache.ts'
import { startTestUpstream, testCompletion } from '../upstream/testing/test-upstream.ts'
import { NO_TOKENS, vendorFormats } from '../upstream/testing/vendor-formats.ts'
import { choosePromptCache } from './prepare.ts'

const PRICING = {
  inputPerMillion: 5,
  outputPerMillion: 25,
  cacheReadPerMillion: 0.5,
  cacheWritePerMillion: 6.25,
  cacheWriteHourPerMillion: 10,
}
const MINUTE = 60_000

describe('the lifetime', () => {
  /** The choice for a session with such pauses, in minutes. */
  function choose(pauses: readonly number[], target: object = {}) {
    let now = 0
    const session = new LiveSession(
      { id: 'ses_1', source: 'header', clientSessionId: '1', keyId: 'k', clientName: 'c' },
      now,
    )
    for (const minutes of pauses) {
      now += minutes * MINUTE
      session.beginRequest(now)
      session.endRequest(now)
    }
    const price = createFlatPrice(PRICING, { source: 'override', match: 'exact', asOf: null })
    return choosePromptCache({ price }, { hosting: null, promptCache: true, ...target }, session)?.lifetime
  }

  it('is five minutes until a pause shows that an hour is cheaper', () => {
    expect(choose([])).toBe('5m')
    expect(choose([1, 4.9, 2])).toBe('5m')
    expect(choose([1, 6])).toBe('1h')
    expect(choose([6, 1, 1])).toBe('1h')
  })

  it('is five minutes again when the pauses are longer than an hour', () => {
    expect(choose([6, 61])).toBe('5m')
    expect(choose([61, 6])).toBe('5m')
    expect(choose([6, 61, 20, 30])).toBe('1h')
    expect(choose([600])).toBe('5m')
  })

  it('is five minutes at other hosts, and nothing where the user has turned it off', () => {
    expect(choose([6], { hosting: 'bedrock' })).toBe('5m')
    expect(choose([6], { promptCache: false })).toBeUndefined()
  })
})

const gateway = await forFile(startTestGateway())
const cache = new ScriptedPromptCache()
const usages: { real: CachedUsage; ideal: CachedUsage }[] = []
const vendor = await forFile(
  startTestUpstream((exchange) => {
    if (exchange.request.path.endsWith('/v1/chat/completions'))
      return exchange.reply(200, testCompletion('Done.'))
    const body = exchange.request.json()
    const real = cache.read(body, Date.now())
    usages.push({ real, ideal: cache.readIdeal(body) })
    const { input, read: cacheRead, write5m: cacheWrite5m, write1h: cacheWrite1h } = real
    const tokens = { ...NO_TOKENS, input, cacheRead, cacheWrite5m, cacheWrite1h, text: 10 }
    const usage = vendorFormats['anthropic-messages'].usage(tokens)
    exchange.answer('anthropic-messages', { texts: ['Done.'], usage })
  }),
)
await gateway.addProvider('claude', `${vendor.url}/v1`, [], { apiFormat: 'anthropic-messages' })
const model = { provider: 'claude', pricing: PRICING, maxOutputTokens: 1000 }
await gateway.call('PUT', '/v1/models/claude-opus-5', { body: model })

const words = (count: number, from: number) =>
  Array.from({ length: count }, (_, at) => `word${from + at}`).join(' ')
const tools = Array.from({ length: 20 }, (_, at) => ({
  type: 'function',
  function: {
    name: `tool_${at}`,
    description: words(60, at),
    parameters: { type: 'object', properties: {} },
  },
}))

/** A run of an agent, whose steps have so many calls of tools. */
async function run(session: string, callsPerStep: number, turns = 20): Promise<void> {
  const messages: object[] = [
    { role: 'system', content: words(8_000, 0) },
    { role: 'user', content: 'Begin.' },
  ]
  for (let turn = 0; turn < turns; turn++) {
    const order = turn % 2 === 0 ? tools : tools.toReversed()
    const body = { model: 'claude-opus-5', messages, tools: order }
    const { status, text } = await gateway.chat(body, { headers: { 'x-tollgate-session': session } })
    expect(status, text).toBe(200)
    const calls = Array.from({ length: callsPerStep }, (_, at) => `call_${turn}_${at}`)
    messages.push(
      {
        role: 'assistant',
        content: null,
        tool_calls: calls.map((id) => ({
          id,
          type: 'function',
          function: { name: 'tool_1', arguments: '{}' },
        })),
      },
      ...calls.map((id) => ({ role: 'tool', tool_call_id: id, content: words(30, turn) })),
    )
  }
}

describe('a run of an agent translated to Claude', () => {
  it.each([1, 15])('of 20 turns with %i calls each is cached from the third on', async (callsPerStep) => {
    usages.length = 0
    await run(`run-${callsPerStep}`, callsPerStep)
    const later = usages.slice(2).map(({ real }) => real)
    for (const { input, read, write5m } of later) expect(read / (read + input + write5m)).toBeGreaterThan(0.9)
    const sum = (pick: (usage: (typeof usages)[number]) => CachedUsage) =>
      usages.reduce((total, usage) => total + weighUsage(pick(usage)), 0)
    expect(sum(({ real }) => real)).toBeLessThanOrEqual(sum(({ ideal }) => ideal) * 1.1)
  })

  it('is charged what the vendor’s marks cost, within what was reserved', async () => {
    const records: RequestRecord[] = await gateway.records()
    const { read, input, write5m } = usages.at(-1)?.real ?? { read: 0, input: 0, write5m: 0 }
    const costUsd = (read * 0.5 + input * 5 + write5m * 6.25 + 10 * 25) / 1e6
    expect(records[0]?.costUsd).toBeCloseTo(costUsd, 9)
    for (const { reservedUsd, costUsd: cost } of records)
      expect(reservedUsd).toBeGreaterThanOrEqual(cost ?? 0)
  })

  it('has no marks where the user has turned them off', async () => {
    await gateway.call('PUT', '/v1/providers/claude', { body: { promptCache: false } })
    usages.length = 0
    await run('unmarked', 1, 3)
    expect(usages.every(({ real }) => real.read === 0 && real.write5m === 0)).toBe(true)
    await gateway.call('PUT', '/v1/providers/claude', { body: { promptCache: true } })
  })
})

it('a request in the provider’s own format stays as it is', async () => {
  const text = words(3_000, 0)
  const body = `{ "model": "claude-opus-5", "max_tokens": 10, "system": "${text}",
    "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}, {"role": "user", "content": "Go."}] }`
  expect((await gateway.call('POST', '/v1/messages', { body })).status).toBe(200)
  expect(vendor.requests.at(-1)?.body).toBe(body)
})

it('OpenAI is sent the session as the key of its cache', async () => {
  const sent = async (provider: string, body: object = {}) => {
    await gateway.addProvider(provider, `${vendor.url}/v1`, ['gpt-x'])
    const messages = [{ role: 'user', content: 'Hi' }]
    await gateway.call('POST', '/v1/messages', {
      body: { model: 'gpt-x', max_tokens: 10, messages, ...body },
      headers: { 'x-tollgate-session': 'mine' },
    })
    return asObject(vendor.requests.findLast(({ path }) => path.endsWith('/chat/completions'))?.json())
  }
  await sent('openai')
  const [record] = await gateway.records()
  expect(await sent('openai')).toMatchObject({ prompt_cache_key: record?.sessionId })
  await gateway.call('DELETE', '/v1/providers/openai')
  expect(await sent('other')).not.toHaveProperty('prompt_cache_key')
})
