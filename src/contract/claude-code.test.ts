// Claude Code's gateway protocol (code.claude.com/docs/en/llm-gateway-protocol), and the sign-in of its plan.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { forFile } from '../gateway/testing/lifetime.ts'
import { nano } from '../gateway/testing/money.ts'
import { startPlanVendors, VENDOR_AUTHORITY } from '../gateway/upstream/testing/plan-vendors.ts'
import { startTestUpstream, type TestHandler } from '../gateway/upstream/testing/test-upstream.ts'
import { createAgentTree } from '../shared/api/agent-tree.ts'
import { startProgram } from './testing/program.ts'
import { testSection } from './testing/rule.ts'

const test = testSection('Plans and agents')

const ANSWER =
  '{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":5}}'
const answered: TestHandler = (exchange) => exchange.reply(200, ANSWER)
let handler = answered
const upstream = await forFile(startTestUpstream((exchange) => handler(exchange)))
const vendors = await forFile(startPlanVendors((exchange) => handler(exchange)))
const tollgate = await forFile(
  startProgram({ HTTPS_PROXY: vendors.proxyUrl, NODE_EXTRA_CA_CERTS: VENDOR_AUTHORITY }),
)
const models = ['claude-opus-5', 'claude-haiku-4-5']
const anthropic = { apiFormat: 'anthropic-messages' }
await tollgate.addProvider('anthropic', upstream.url, models, anthropic)
await tollgate.call('PUT', '/v1/providers/claude-plan', { body: {} })
await tollgate.call('PATCH', '/v1/settings', { body: { network: 'system', storeBodies: true } })

const CLIENT = {
  'user-agent': 'claude-cli/2.1.330 (external, cli)',
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
  'x-app': 'cli',
}
const BODY =
  '{"model":"claude-opus-5","max_tokens":32,"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2; cch=0"},{"type":"text","text":"You are Claude Code.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"Hi"}],"context_management":{"edits":[]},"a_field_of_the_future":{"x":[1.50]}}'
const post = (headers: Record<string, string> = {}, path = '/v1/messages?beta=true', body = BODY) =>
  tollgate.call('POST', path, { body, headers: { ...CLIENT, ...headers } })

test('The model picker lists Claude’s models, with names, in Anthropic’s form', async () => {
  const { json } = await tollgate.call('GET', '/v1/models?limit=1000', { headers: CLIENT })
  const claude = json.data.filter(({ id }: { id: string }) => id.startsWith('claude'))
  expect(claude.map(({ id }: { id: string }) => id).sort()).toEqual([...models].sort())
  for (const each of claude)
    expect(each).toMatchObject({
      type: 'model',
      display_name: expect.any(String),
      created_at: expect.any(String),
    })
  expect(json).toMatchObject({ has_more: false, first_id: expect.any(String), last_id: expect.any(String) })
})

test('Errors have Anthropic’s form, and Retry-After where waiting helps', async () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  handler = (exchange) => exchange.reply(529, overloaded, { 'retry-after-ms': '1' })
  const limited = await tollgate.createKey({ name: 'limited', scope: 'full', rpmLimit: 1 })
  const spent = await tollgate.createKey({ name: 'spent', scope: 'full', spendLimitUsd: 0 })
  const as = (secret: string) =>
    tollgate.call('POST', '/v1/messages', { as: secret, body: BODY, headers: CLIENT })
  const answers = [
    await post(),
    await as('tg-none'),
    await post({}, '/v1/messages', BODY.replace('claude-opus-5', 'claude-none')),
    await as(spent.secret),
    await as(limited.secret).then(() => as(limited.secret)),
  ]
  handler = answered
  expect(answers.map(({ status }) => status)).toEqual([503, 401, 404, 402, 429])
  for (const { json } of answers)
    expect(json).toMatchObject({
      type: 'error',
      error: { type: expect.stringMatching(/_error$/), message: expect.stringMatching(/\w/) },
      request_id: expect.stringMatching(/^req_/),
    })
  expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
})

const TOKEN = 'sk-ant-oat01-canary-of-the-contract'
const PLAN = { authorization: `Bearer ${TOKEN}`, 'x-tollgate-key': tollgate.admin }

/** The key of the sub-agents below. */
let treeKey = ''

/** Kills Tollgate while it waits for the rest of these streams, and starts it again. */
async function killDuring(...sends: ((body: string) => Promise<unknown>)[]): Promise<void> {
  const begun = Promise.withResolvers<void>()
  let streams = 0
  handler = (exchange) => {
    exchange.begin().raw('event: ping\ndata: {"type":"ping"}\n\n')
    streams += 1
    if (streams === sends.length) begun.resolve()
  }
  const running = Promise.allSettled(sends.map((send) => send(BODY.replace('{', '{"stream":true,'))))
  await begun.promise
  await expect
    .poll(async () => (await tollgate.call('GET', '/v1/requests?status=running')).json.data.length)
    .toBe(sends.length)
  await tollgate.kill()
  await running
  await tollgate.start()
}

test('Killed during a plan’s request, Tollgate charges nothing and has kept no sign-in', async () => {
  treeKey = (await tollgate.createKey({ name: 'tree', scope: 'full' })).secret
  const session = { 'x-claude-code-session-id': 'killed' }
  const subAgent = (id: string) => ({
    ...session,
    'x-claude-code-agent-id': id,
    'x-claude-code-request-class': 'subagent',
  })
  const send = (headers: Record<string, string>, body = BODY) =>
    tollgate.call('POST', '/v1/messages', { as: treeKey, body, headers: { ...CLIENT, ...headers } })
  handler = answered
  for (const headers of [session, subAgent('ended'), subAgent('killed')])
    expect((await send(headers)).status).toBe(200)
  await killDuring(
    (body) => post(PLAN, '/v1/messages', body),
    (body) => send(subAgent('killed'), body),
  )
  const record = (await tollgate.records()).find(({ provider }) => provider === 'claude-plan')
  expect(record).toMatchObject({
    provider: 'claude-plan',
    status: 'failed',
    costStatus: 'plan',
    costUsd: 0,
  })
  expect((await tollgate.call('GET', '/v1/key')).json.reservedUsd).toBe(0)
  for (const file of readdirSync(tollgate.dataDir, { recursive: true, withFileTypes: true }))
    if (file.isFile())
      expect(readFileSync(join(file.parentPath, file.name)).includes('canary'), file.name).toBe(false)
})

test('Killed during a sub-agent’s request, Tollgate charges it in its branch, and the others keep their sums', async () => {
  // It was killed above, together with the plan’s. Its models cost 1 and 2 USD per million.
  const own = { as: treeKey }
  const [{ sessionId }] = (await tollgate.call('GET', '/v1/requests', own)).json.data
  const { data } = (await tollgate.call('GET', `/v1/requests?session=${sessionId}`, own)).json
  const killed = data[0]
  expect(killed).toMatchObject({ status: 'failed', costStatus: 'unsettled', agent: { id: 'killed' } })
  expect(killed.costUsd).toBeGreaterThan(0)
  const costUsd = (10 * 1 + 5 * 2) / 1_000_000
  const sums = createAgentTree(data).map((branch) => [branch.key, branch.requests, nano(branch.costUsd)])
  expect(Object.fromEntries(sums.map(([key, ...rest]) => [key, rest]))).toEqual({
    main: [1, nano(costUsd)],
    ended: [1, nano(costUsd)],
    killed: [2, nano(costUsd + killed.costUsd)],
  })
  const { spendUsd } = (await tollgate.call('GET', '/v1/key', own)).json
  expect(nano(spendUsd)).toBe(nano(3 * costUsd + killed.costUsd))
})
