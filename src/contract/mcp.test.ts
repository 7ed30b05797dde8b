import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, expect } from 'vitest'
import { PROGRAM_FILE } from '../gateway/testing/program.ts'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { testSection } from './testing/rule.ts'
import { says, startForFile } from './testing/upstream.ts'

const test = testSection('Client libraries')

const SLOW_MS = 30_000

const { tollgate, upstream } = await startForFile()
await upstream.model('billed', says('Hello'))

const open: Client[] = []
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})

/** Starts the server with this key; without one, as the owner. */
async function connect(apiKey: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...SOURCE_FLAGS, PROGRAM_FILE, 'mcp', '--data-dir', tollgate.dataDir],
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TOLLGATE_API_KEY: apiKey },
    stderr: 'inherit',
  })
  await client.connect(transport)
  open.push(client)
  return client
}

async function ask(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given })
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return { text, result: structuredContent, isError: isError === true }
}

test(
  'MCP: a key that may only call models learns what it has spent, what is left, and what a task would cost',
  async () => {
    const { secret } = await tollgate.createKey({
      name: 'Agent',
      scope: 'completions-only',
      spendLimitUsd: 1,
      spendLimits: [{ usd: 0.5, per: 'day' }],
    })
    const chat = await tollgate.chat({}, { as: secret })
    const { cost } = chat.json.usage
    const client = await connect(secret)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'ask_for_more',
      'compare_plans',
      'estimate_cost',
      'explain_prompt_cache',
      'find_models',
      'get_model_price',
      'get_remaining',
      'get_spend',
      'list_questions',
      'list_rules',
    ])
    for (const { name, inputSchema, outputSchema, annotations } of tools)
      expect([inputSchema.type, outputSchema?.type, annotations?.readOnlyHint]).toEqual([
        'object',
        'object',
        name !== 'ask_for_more',
      ])

    expect(await ask(client, 'get_spend')).toMatchObject({ result: { usd: cost }, isError: false })
    const left = await ask(client, 'get_remaining')
    expect(left.result).toMatchObject({
      remainingUsd: expect.closeTo(0.5 - cost, 9),
      caps: [
        { name: 'Key, a day', limitUsd: 0.5, resetsAt: expect.stringMatching(/^\d{4}-/) },
        { name: 'Key, in all', limitUsd: 1, remainingUsd: expect.closeTo(1 - cost, 9), resetsAt: null },
      ],
    })
    expect(left.text.split('\n')).toHaveLength(2)

    const price = (await tollgate.call('GET', '/v1/models/sandbox-small')).json.pricing
    expect(await ask(client, 'get_model_price', { model: 'sandbox-small' })).toMatchObject({
      result: { inputPerMillionUsd: price.inputPerMillion, outputPerMillionUsd: price.outputPerMillion },
    })
    const found = await ask(client, 'find_models', { capability: 'vision' })
    expect(found.result).toMatchObject({ models: [{ id: 'sandbox-large' }], total: 1 })

    const task = {
      model: 'sandbox-small',
      inputTokens: 1_000_000,
      cachedTokens: 0,
      outputTokens: 1_000_000,
      calls: 2,
    }
    const estimate = await ask(client, 'estimate_cost', task)
    const expected = 2 * (price.inputPerMillion + price.outputPerMillion)
    expect(estimate.result).toMatchObject({ usd: expect.closeTo(expected, 9), fits: expected <= 0.5 - cost })
    const byText = await ask(client, 'estimate_cost', {
      model: 'sandbox-small',
      text: 'Hello there',
      outputTokens: 0,
    })
    expect(byText.result).toMatchObject({ isCounted: true })

    const usage = await ask(client, 'get_spend', { period: 'today' })
    expect([usage.isError, usage.text]).toEqual([true, expect.stringContaining('completions-only')])
    const unknown = await ask(client, 'get_model_price', { model: 'no-such-model' })
    expect([unknown.isError, unknown.text]).toEqual([true, expect.stringContaining('no-such-model')])
  },
  SLOW_MS,
)

test(
  'MCP: a key that may read usage learns what was spent today, in its session and in its project',
  async () => {
    const { secret } = await tollgate.createKey({ name: 'Builder', scope: 'full', tag: 'shop' })
    const cost = async () => (await tollgate.chat({ model: 'billed' }, { as: secret })).json.usage.cost
    const spent = (await cost()) + (await cost())
    const client = await connect(secret)
    for (const period of ['today', 'month', 'session', 'project']) {
      const { result } = await ask(client, 'get_spend', { period })
      expect([period, result]).toEqual([
        period,
        { usd: expect.closeTo(spent, 9), worthUsd: 0, requests: 2, of: expect.any(String) },
      ])
    }
    // Prompts as short as these are in no cache.
    const caches = await ask(client, 'explain_prompt_cache')
    expect(caches).toMatchObject({ result: { requests: 0, causes: [] }, isError: false })
    const plans = await ask(client, 'compare_plans')
    expect(plans).toMatchObject({
      result: { best: null, plans: [] },
      text: expect.stringContaining('needs 14'),
    })
  },
  SLOW_MS,
)

test(
  'MCP: without a key the owner of the machine asks; a wrong key is an error of the tool, not of the server',
  async () => {
    const owner = await connect('')
    const account = await tollgate.getAccount()
    expect((await ask(owner, 'get_spend')).result).toMatchObject({ usd: account.spendUsd, of: 'All keys' })
    const wrong = await connect('tg-wrong')
    expect(await ask(wrong, 'get_remaining')).toMatchObject({
      isError: true,
      text: expect.stringContaining('TOLLGATE_API_KEY'),
    })
  },
  SLOW_MS,
)

test('MCP: an agent asks its owner for more, and learns the answer', async () => {
  const { secret } = await tollgate.createKey({
    name: 'Asking',
    scope: 'completions-only',
    spendLimits: [{ usd: 1, per: 'day', action: 'ask' }],
  })
  const client = await connect(secret)
  const given = { usd: 3, reason: 'Two tests are left' }
  for (const [decision, answer] of [
    [
      { decision: 'allow', usd: 3 },
      { result: { answered: true, remainingUsd: 4 }, isError: false },
    ],
    [{ decision: 'stop' }, { text: expect.stringContaining('does not allow'), isError: true }],
  ] as const) {
    const asked = ask(client, 'ask_for_more', given)
    const list = async () => (await tollgate.call('GET', '/v1/approvals')).json.data
    await expect.poll(async () => (await list()).length).toBe(1)
    const [{ id, waiter, reason }] = await list()
    expect(reason).toBe(given.reason)
    const body = decision.decision === 'allow' ? { ...decision, waiter } : decision
    await tollgate.call('POST', `/v1/approvals/${id}`, { body })
    expect(await asked).toMatchObject(answer)
  }
  expect(await ask(await connect(''), 'ask_for_more', given)).toMatchObject({ isError: true })
})
