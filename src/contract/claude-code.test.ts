// Claude Code's gateway protocol (code.claude.com/docs/en/llm-gateway-protocol), and the sign-in of its plan.
import { expect } from 'vitest'
import { findInFiles } from '../gateway/testing/find-in-files.ts'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startPlanVendors, VENDOR_AUTHORITY } from '../gateway/upstream/testing/plan-vendors.ts'
import { startTestUpstream, type TestHandler } from '../gateway/upstream/testing/test-upstream.ts'
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

test('Killed during a plan’s request, Tollgate charges nothing and has kept no sign-in', async () => {
  const begun = Promise.withResolvers<void>()
  handler = (exchange) => {
    exchange.begin().raw('event: ping\ndata: {"type":"ping"}\n\n')
    begun.resolve()
  }
  const running = post(PLAN, '/v1/messages', BODY.replace('{', '{"stream":true,')).catch(() => null)
  await begun.promise
  await expect
    .poll(async () => (await tollgate.call('GET', '/v1/requests?status=running')).json.data.length)
    .toBe(1)
  await tollgate.kill()
  await running
  await tollgate.start()
  const [record] = await tollgate.records()
  expect(record).toMatchObject({ provider: 'claude-plan', status: 'failed', costStatus: 'plan', costUsd: 0 })
  expect((await tollgate.call('GET', '/v1/key')).json.reservedUsd).toBe(0)
  expect(findInFiles(tollgate.dataDir, 'canary')).toEqual([])
})
