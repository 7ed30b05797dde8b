// The sign-in of a plan is in nothing that Tollgate writes or sends elsewhere, whatever happens to its request.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testClient } from '../gateway/testing/gateway.ts'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startPlanVendors, VENDOR_AUTHORITY } from '../gateway/upstream/testing/plan-vendors.ts'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { CliProcesses } from './testing/cli-processes.ts'

const CLAUDE = 'sk-ant-oat01-canary-4711'
const CHATGPT = `eyJ${Buffer.from('{"canary":4711}').toString('base64url')}.canary.4711`
const ANSWER = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5', stop_reason: 'end_turn' },
  content: [{ type: 'text', text: 'Hi' }],
  usage: { input_tokens: 10, output_tokens: 5 },
}

const begun = Promise.withResolvers<void>()
const vendors = await forFile(
  startPlanVendors((exchange) => {
    const { body } = exchange.request
    if (body.includes('Echo'))
      return exchange.reply(400, { type: 'error', error: { type: 'x', message: CLAUDE } })
    if (body.includes('Redirect')) return exchange.reply(307, '', { location: elsewhere.url })
    if (!body.includes('Hang')) return exchange.reply(200, ANSWER, { 'x-echo': CLAUDE })
    exchange.begin().raw('event: ping\ndata: {"type":"ping"}\n\n')
    begun.resolve()
  }),
)
const elsewhere = await forFile(startTestUpstream((exchange) => exchange.reply(200, {})))
const program = await forFile(
  (async () => new CliProcesses({ HTTPS_PROXY: vendors.proxyUrl, NODE_EXTRA_CA_CERTS: VENDOR_AUTHORITY }))(),
)

/** The sign-ins, and the parts of them that an encoding leaves. */
const CANARIES = ['canary', CLAUDE, CHATGPT, Buffer.from(CLAUDE).toString('base64').slice(4, -4)]

function expectClean(bytes: Buffer | string, where: string): void {
  for (const secret of CANARIES) expect(bytes.includes(secret), where).toBe(false)
}

test('it is in no output, file, crash report, trace or request to another address', async () => {
  const running = program.runWithFault(
    "throw new Error('boom')",
    ...['serve', '--port', '0', '--log-level', 'debug'],
  )
  const { baseUrl, adminKey = '' } = await running.ready
  const { call } = testClient(baseUrl, adminKey)
  await call('PATCH', '/v1/settings', { body: { network: 'system', storeBodies: true } })
  const telemetry = { endpoint: elsewhere.url, includePrompts: true }
  expect((await call('PATCH', '/v1/telemetry', { body: telemetry })).status).toBe(200)
  for (const id of ['claude-plan', 'chatgpt-plan'])
    expect((await call('PUT', `/v1/providers/${id}`, { body: {} })).status).toBe(200)
  const send = (content: string, more: Record<string, string> = {}, extra = {}) =>
    call('POST', '/v1/messages', {
      as: '',
      headers: {
        ...{
          authorization: `Bearer ${CLAUDE}`,
          'user-agent': 'claude-cli/2.1.0',
          'x-tollgate-key': adminKey,
        },
        ...{
          'idempotency-key': content.replace(' ', '-'),
          'x-claude-code-session-id': 'a',
          traceparent: TRACE,
        },
        ...more,
      },
      body: { model: 'claude-opus-5', max_tokens: 5, messages: [{ role: 'user', content }], ...extra },
    })
  const codex = {
    authorization: `Bearer ${CHATGPT}`,
    'chatgpt-account-id': 'a',
    'user-agent': 'codex_exec/0.169.0',
  }
  const statuses = [
    await send('Hi'),
    await send('Echo'),
    await send('Redirect'),
    await send('Unknown client', { 'user-agent': 'curl/8' }),
    await send('Wrong header', { authorization: 'Bearer x', 'x-api-key': CLAUDE }),
    await send('Wrong API', codex),
    await call('POST', '/v1/responses', {
      as: '',
      headers: { ...codex, 'x-tollgate-key': adminKey },
      body: '{"model":"gpt-5","input":"Hi","broken":',
    }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([200, 400, 502, 403, 403, 403, 400])
  // Turning telemetry off sends what waits.
  for (const endpoint of [null, elsewhere.url]) await call('PATCH', '/v1/telemetry', { body: { endpoint } })
  await expect.poll(() => elsewhere.requests.length).toBeGreaterThan(0)
  const hanging = send('Hang', {}, { stream: true }).catch(() => null)
  await begun.promise
  running.child.kill('SIGUSR2')
  await hanging
  const { code, stdout, stderr } = await running.ended
  expect([code, stderr]).toEqual([1, expect.stringContaining('Error: boom')])
  expectClean(stdout, 'stdout')
  expectClean(stderr, 'stderr')
  const files = readdirSync(program.dataDir, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  )
  expect(files.map(({ name }) => name).join()).toMatch(/-error\.json/)
  for (const { parentPath, name } of files) expectClean(readFileSync(join(parentPath, name)), name)
  for (const { path, headers, body } of elsewhere.requests)
    expectClean(`${path}${JSON.stringify(headers)}${body}`, path)
  // Where the sign-in is sent is known from the proxy, which sees no more than that.
  expect(vendors.upstream.requests.every(({ headers }) => headers.authorization === `Bearer ${CLAUDE}`)).toBe(
    true,
  )
  expect(vendors.hosts.filter((host) => !host.startsWith('api.anthropic.com:'))).toEqual([])
})

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
