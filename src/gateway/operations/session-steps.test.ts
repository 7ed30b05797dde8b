import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream } from '../upstream/testing/test-upstream.ts'

const call = (name: string, given: object) => ({
  ...{ id: 'c', type: 'function', function: { name, arguments: JSON.stringify(given) } },
})
const messages: object[] = [
  { content: 'I  look\nat the tests.', tool_calls: [call('Bash', { timeout: 5, command: 'npm test' })] },
  {
    content: null,
    tool_calls: [call('shell', { command: ['bash', '-lc', 'ls'] }), call('Read', { file_path: '/a.ts' })],
  },
  { content: 'x'.repeat(500) },
  { content: null, tool_calls: [call('Odd', {})] },
]
let at = 0
const upstream = await forFile(
  startTestUpstream((exchange) => {
    const message = messages[at++]
    exchange.reply(200, {
      ...{ id: 'x', object: 'chat.completion', created: 1, model: 'm' },
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
  }),
)
const gateway = await forFile(startTestGateway())
await gateway.addProvider('vendor', upstream.url, ['m'])
const ask = (session: string) => gateway.chat({ model: 'm' }, { headers: { 'x-tollgate-session': session } })

test('the steps of a session say what its stored answers did', async () => {
  await ask('not stored')
  await gateway.call('PATCH', '/v1/settings', { body: { storeBodies: true } })
  at = 0
  for (const _ of messages) await ask('stored')
  const records = await gateway.records()
  const read = async (sessionId: string | null | undefined) =>
    (await gateway.call('GET', `/v1/sessions/${sessionId}/steps`)).json.data
  const steps = await read(records[0]?.sessionId)
  expect(steps.toReversed()).toEqual([
    {
      requestId: records[3]?.id,
      text: 'I look at the tests.',
      tools: [{ name: 'Bash', argument: 'npm test' }],
    },
    {
      requestId: records[2]?.id,
      text: '',
      tools: [
        { name: 'shell', argument: 'bash -lc ls' },
        { name: 'Read', argument: '/a.ts' },
      ],
    },
    { requestId: records[1]?.id, text: `${'x'.repeat(119)}…`, tools: [] },
    { requestId: records[0]?.id, text: '', tools: [{ name: 'Odd', argument: '' }] },
  ])
  expect(records.map(({ finishReason }) => finishReason)).toEqual(['stop', 'stop', 'stop', 'stop', 'stop'])
  expect(await read(records[4]?.sessionId)).toEqual([])
  expect((await gateway.call('GET', '/v1/sessions/ses_none/steps')).status).toBe(404)
  const { secret } = await gateway.createKey({ name: 'reader', scope: 'read-only' })
  const own = await gateway.call('GET', `/v1/sessions/${records[0]?.sessionId}/steps`, { as: secret })
  expect(own.status).toBe(403)
})
