// Secrets in prompts, as clients and the owner see them. What is a secret is tested in `find-secrets.test.ts`.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createLog } from '../../../gateway/platform/log.ts'
import { findInFiles } from '../../../gateway/testing/find-in-files.ts'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'

const lines: string[] = []
const log = createLog({ write: (...line) => lines.push(JSON.stringify(line)) })
const tollgate = await forFile(startTestGateway({ log }))

/** With the checksum of npm. */
const TOKEN = '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'
const OTHER = `pypi-AgEIcHlwaS5vcmc${'aB3-xY9_'.repeat(8)}`
const KIND = 'npm token'

let session = 0
const createKey = (secretsInPrompts?: string) =>
  tollgate.createKey({ name: 'agent', scope: 'full', ...(secretsInPrompts && { secretsInPrompts }) })

/** A request of a session; the record of it is returned, too. */
async function send(as: string, path: string, body: object, id = `s${++session}`) {
  const answer = await tollgate.call('POST', path, { as, body, headers: { 'x-tollgate-session': id } })
  const record = await tollgate.getRecord(answer.headers.get('x-service-request-id'))
  return { ...answer, secrets: record.secrets }
}
const chat = (as: string, contents: readonly string[], id?: string) =>
  send(
    as,
    '/v1/chat/completions',
    { model: 'sandbox-small', messages: contents.map((content) => ({ role: 'user', content })) },
    id,
  )
const encode = (text: string) => Buffer.from(text).toString('base64')

/** The ways in which clients of all formats send a result of a tool, instructions or a file, and where it is. */
const PLACES: readonly (readonly [path: string, body: object, position: string])[] = [
  [
    '/v1/chat/completions',
    {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'user', content: [{ type: 'text', text: `A ${TOKEN}` }] },
      ],
    },
    'messages[1]',
  ],
  [
    '/v1/chat/completions',
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'file', file: { file_data: `data:text/plain;base64,${encode(`A=${TOKEN}`)}` } }],
        },
      ],
    },
    'messages[0]',
  ],
  ['/v1/messages', { max_tokens: 9, system: TOKEN, messages: [{ role: 'user', content: 'Hi' }] }, 'system'],
  [
    '/v1/messages',
    {
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't', name: 'cat', input: { path: '.npmrc' } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: `a\n//r/:_authToken=${TOKEN}\n` }],
        },
      ],
    },
    'messages[2]',
  ],
  [
    '/v1/responses',
    {
      input: [
        { role: 'user', content: 'Hi' },
        {
          type: 'function_call',
          call_id: 'c',
          name: 'cat',
          arguments: JSON.stringify({ command: `export A=${TOKEN}\nls` }),
        },
        { type: 'function_call_output', call_id: 'c', output: 'Done' },
      ],
    },
    'input[1]',
  ],
  ['/v1/responses', { instructions: TOKEN, input: 'Hi' }, 'instructions'],
  ['/v1/completions', { prompt: `x ${TOKEN}` }, 'prompt'],
  [
    '/v1beta/models/sandbox-small:generateContent',
    {
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'text/plain', data: encode(TOKEN) } }],
        },
      ],
    },
    'contents[0]',
  ],
]

test.each(PLACES)(
  '%s: a secret is noted with its place, or refused in the format of the client',
  async (path, body, position) => {
    const request = { ...(path.includes('models') ? {} : { model: 'sandbox-small' }), ...body }
    const noting = await createKey()
    expect((await send(noting.secret, path, request)).secrets).toEqual([{ kind: KIND, position }])
    const blocking = await createKey('block')
    const { status, json, text } = await send(blocking.secret, path, request)
    expect(status).toBe(400)
    expect(json.error.message).toContain(
      `${KIND} in ${position}. Remove them from the conversation, or set "secretsInPrompts"`,
    )
    expect(text).not.toContain(TOKEN.slice(4))
  },
)

test('an input that is passed through is read', async () => {
  const { secret } = await createKey('block')
  const body = { model: 'sandbox-small', input: ['a', TOKEN] }
  const { status, json } = await tollgate.call('POST', '/v1/embeddings', { as: secret, body })
  expect([status, json.error.code, json.error.param]).toEqual([400, 'secret_in_prompt', 'input[1]'])
})

const listActivity = async (kind: string) =>
  (await tollgate.call('GET', `/v1/activity?kind=${kind}`)).json.data

test('a conversation repeats a secret with each request: it is noted once, and again in another session', async () => {
  const { secret } = await createKey()
  const id = `s${++session}`
  expect((await chat(secret, ['Hi'], id)).secrets).toBeNull()
  const first = await chat(secret, ['Hi', TOKEN], id)
  expect(first.secrets).toEqual([{ kind: KIND, position: 'messages[1]' }])
  expect((await chat(secret, ['Hi', TOKEN, 'Go on'], id)).secrets).toBeNull()
  const second = await chat(secret, ['Hi', TOKEN, 'Go on', OTHER], id)
  expect(second.secrets).toEqual([{ kind: 'PyPI token', position: 'messages[3]' }])
  expect((await chat(secret, [TOKEN])).secrets).toHaveLength(1)
  const [newest] = await listActivity('secret-sent')
  expect(newest).toMatchObject({
    actor: { kind: 'gateway' },
    subject: { kind: 'request', name: 'agent' },
    reason: 'npm token in messages[0]',
  })
})

test('a key that begins to block refuses only what its sessions have not sent; one that is off looks for nothing', async () => {
  const { id: keyId, secret } = await createKey()
  const id = `s${++session}`
  await chat(secret, [TOKEN], id)
  const set = (secretsInPrompts: string) =>
    tollgate.call('PATCH', `/v1/keys/${keyId}`, { body: { secretsInPrompts } })
  expect((await set('block')).json.secretsInPrompts).toBe('block')
  expect((await chat(secret, [TOKEN, 'Go on'], id)).status).toBe(200)
  const refused = await chat(secret, [TOKEN, OTHER], id)
  expect([refused.status, refused.json.error]).toMatchObject([
    400,
    { type: 'invalid_request_error', code: 'secret_in_prompt', param: 'messages[1]' },
  ])
  expect((await chat(secret, [TOKEN, OTHER], id)).status).toBe(400)
  expect(await listActivity('secret-blocked')).toContainEqual(
    expect.objectContaining({ reason: 'PyPI token in messages[1]' }),
  )
  await set('off')
  expect(await chat(secret, [OTHER], id)).toMatchObject({ status: 200, secrets: null })
})

test('a key that blocks sends no secret to have its tokens counted', async () => {
  const { secret } = await createKey('block')
  const body = { model: 'sandbox-small', messages: [{ role: 'user', content: TOKEN }] }
  const { status, json } = await tollgate.call('POST', '/v1/messages/count_tokens', { as: secret, body })
  expect([status, json.error.message]).toEqual([400, expect.stringContaining('npm token in messages[0]')])
})

test('no file of the data folder, no line of the log and no answer of the API has what was found', async () => {
  const { secret } = await createKey()
  const { secret: blocking } = await createKey('block')
  await chat(secret, [`Use ${TOKEN}`])
  await chat(blocking, [`Use ${TOKEN}`])
  const paths = ['/v1/requests?limit=100', '/v1/activity?limit=100', '/v1/sessions']
  const answers = await Promise.all(paths.map((path) => tollgate.call('GET', path)))
  await tollgate.restart()
  const parts = [TOKEN, TOKEN.slice(-12), createHash('sha256').update(TOKEN).digest('hex')]
  expect(findInFiles(tollgate.dataDir, ...parts)).toEqual([])
  for (const part of parts) {
    expect(lines.filter((line) => line.includes(part))).toEqual([])
    expect(answers.filter(({ text }) => text.includes(part))).toEqual([])
  }
  expect(findInFiles(tollgate.dataDir, KIND)).not.toEqual([])
  expect(lines).not.toEqual([])
})
