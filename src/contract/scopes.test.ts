import { expect } from 'vitest'
import { z } from 'zod'
import type { Scope } from '../shared/api/keys.ts'
import { rule } from './testing/rule.ts'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('API keys')

const read = (headers: Record<string, string>, path = '/v1/models') =>
  tollgate.call('GET', path, { as: '', headers })

test('A key is accepted in Authorization, x-api-key, api-key, x-goog-api-key and x-tollgate-key', async () => {
  for (const headers of [
    { authorization: `Bearer ${tollgate.admin}` },
    { 'x-api-key': tollgate.admin },
    { 'api-key': tollgate.admin },
    { 'x-goog-api-key': tollgate.admin },
    { 'x-tollgate-key': tollgate.admin },
    { authorization: `Bearer ${tollgate.admin}`, 'x-api-key': tollgate.admin },
  ])
    expect((await read(headers)).status).toBe(200)
})

test('Two credentials that differ are 401, whichever of them is right', async () => {
  const names = ['x-api-key', 'api-key', 'x-goog-api-key']
  for (const name of names) {
    const { status, json } = await read({ authorization: 'Bearer dummy', [name]: tollgate.admin })
    expect([name, status, json.error.type ?? json.error.status]).toEqual([name, 401, 'authentication_error'])
    expect(json.error.message).toBe(
      `Different API keys were sent in "Authorization" and "${name}". Send one key, in one of them.`,
    )
  }
  expect((await read({ 'x-api-key': 'dummy', 'x-goog-api-key': tollgate.admin })).status).toBe(401)
})

test('Next to x-tollgate-key, the other headers may hold what is no key of Tollgate', async () => {
  const own = { 'x-tollgate-key': tollgate.admin }
  const others = { authorization: 'Bearer something', 'x-api-key': 'dummy' }
  expect((await read({ ...own, ...others })).status).toBe(200)
  const otherKey = tollgate.admin.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const { status, json } = await read({ ...own, authorization: `Bearer ${otherKey}` })
  expect([status, json.error]).toMatchObject([
    401,
    {
      message:
        'Different API keys were sent in "Authorization" and "x-tollgate-key". Send one key, in one of them.',
    },
  ])
})

test('The sign-in of a plan is no key, and needs one next to it', async () => {
  const key = { 'x-tollgate-key': tollgate.admin }
  const claude = { authorization: 'Bearer sk-ant-oat01-made-up' }
  const codex = { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.', 'chatgpt-account-id': 'a' }
  for (const headers of [claude, codex]) {
    const { status, json } = await read(headers)
    expect([status, json.error]).toMatchObject([403, { type: 'permission_error', code: 'plan_sign_in' }])
    expect((await read({ ...key, ...headers })).status).toBe(200)
  }
})

test('A key in the URL is refused with the header to use instead', async () => {
  for (const [path, code] of [
    [`/v1beta/models?key=${tollgate.admin}`, 401],
    ['/v1beta/models?key=something', 401],
  ] as const) {
    const { status, json } = await read({}, path)
    expect(status).toBe(code)
    expect(json.error).toMatchObject({ code, status: 'UNAUTHENTICATED' })
    expect(json.error.message).toContain('x-goog-api-key')
  }
  for (const secret of [tollgate.admin, 'something']) {
    const both = await read({ 'x-goog-api-key': tollgate.admin }, `/v1beta/models?pageSize=5&key=${secret}`)
    expect(both.status).toBe(400)
    expect(both.json.error.message).toContain('must not be in the URL')
  }
})

const SCOPES: readonly Scope[] = ['admin', 'full', 'read-only', 'completions-only', 'telemetry-only']
const secrets = new Map<Scope, string>()
for (const scope of SCOPES) secrets.set(scope, (await tollgate.createKey({ name: scope, scope })).secret)

interface Row {
  text: string
  /** Method and path, as the OpenAPI document writes them. */
  operations: readonly string[]
  allowed: readonly Scope[]
}

/** The operations with the paths of each line, which begins with a method. */
const listOperations = (...lines: readonly string[]) =>
  lines.flatMap((line) => {
    const [method, ...paths] = line.split(' ')
    return paths.map((path) => `${method} ${path}`)
  })

/** Which scopes may call which operations. */
const MATRIX: readonly Row[] = [
  {
    text: 'Chat completions, messages and generated content: admin, full and completions-only; read-only gets 403',
    operations: listOperations(
      'POST /v1/chat/completions /v1/messages /v1/messages/count_tokens /v1/completions',
      'POST /v1/fim/completions /v1/responses /v1beta/models/{id}:generateContent',
      'POST /v1beta/models/{id}:streamGenerateContent /v1beta/models/{id}:countTokens /v1/embeddings',
      'POST /v1/moderations /v1/rerank /v1/images/generations /v1/images/edits /v1/audio/speech',
      'POST /v1/audio/transcriptions /v1/audio/translations',
      'GET /v1/responses/{id} /v1/responses/{id}/input_items',
      'DELETE /v1/responses/{id}',
    ),
    allowed: ['admin', 'full', 'completions-only'],
  },
  {
    text: 'Batches and their files: admin, full and completions-only; read-only gets 403',
    operations: listOperations(
      'POST /v1/files /v1/batches /v1/batches/{id}/cancel /v1/messages/batches /v1/messages/batches/{id}/cancel',
      'GET /v1/files /v1/files/{id} /v1/files/{id}/content /v1/batches /v1/batches/{id} /v1/messages/batches',
      'GET /v1/messages/batches/{id} /v1/messages/batches/{id}/results',
      'DELETE /v1/files/{id} /v1/messages/batches/{id}',
    ),
    allowed: ['admin', 'full', 'completions-only'],
  },
  {
    text: 'Reading models and the calling key, and asking its owner for more: every scope but telemetry-only',
    operations: listOperations(
      'GET /v1/models /v1/models/{id} /v1beta/models /v1beta/models/{id} /v1/key /v1/plan-windows',
      'POST /v1/approvals',
    ),
    allowed: ['admin', 'full', 'read-only', 'completions-only'],
  },
  {
    text: 'Sending the usage events of agents: admin and telemetry-only',
    operations: listOperations('POST /v1/logs /v1/metrics /v1/traces'),
    allowed: ['admin', 'telemetry-only'],
  },
  {
    text: 'Estimates, plans and prices: all but completions-only',
    operations: listOperations(
      'POST /v1/pricing/estimate',
      'GET /v1/plans /v1/plan-windows/{id}/history /v1/plan-windows/{id}/shares /v1/prices',
      'GET /v1/prices/suggestions',
    ),
    allowed: ['admin', 'full', 'read-only'],
  },
  {
    text: 'Records, usage, account and events: all but completions-only',
    operations: listOperations(
      'GET /v1/requests /v1/requests/totals /v1/requests/running /v1/requests/{id}',
      'GET /v1/requests/{id}/receipt /v1/receipts/sum /v1/history /v1/history/sessions',
      'GET /v1/sessions /v1/sessions/totals /v1/sessions/{id} /v1/usage /v1/usage/caching',
      'GET /v1/usage/reprice /v1/plan-fit /v1/account /v1/status /v1/approvals /v1/events /metrics',
      'GET /v1/batch-jobs /v1/rules /v1/rules/requests',
    ),
    allowed: ['admin', 'full', 'read-only'],
  },
  {
    text: 'Stored prompts and answers, settling a request, reconciling, and recording branches: admin only',
    operations: listOperations(
      'GET /v1/requests/{id}/bodies /v1/sessions/{id}/steps',
      'POST /v1/requests/{id}/settle /v1/requests/{id}/release /v1/requests/{id}/stop /v1/git',
      'POST /v1/reconciliations',
    ),
    allowed: ['admin'],
  },
  {
    text: 'Keys, providers, changing models, account, settings and backups: admin only; full is not enough',
    operations: listOperations(
      'GET /v1/keys /v1/keys/{id} /v1/providers /v1/providers/environment /v1/providers/{id}/credentials /v1/webhook /v1/settings',
      'GET /v1/activity /v1/gateway /v1/network /v1/telemetry /v1/backups /v1/backups/{id}/file',
      'POST /v1/keys /v1/providers/{id}/test /v1/providers/{id}/try /v1/providers/{id}/models',
      'POST /v1/providers/{id}/import /v1/providers/discover /v1/prices/refresh /v1/approvals/{id}',
      'POST /v1/rehearse /v1/keys/{id}/pause /v1/keys/{id}/resume /v1/pause /v1/resume /v1/webhook/test /v1/activity/seen',
      'POST /v1/batch-jobs/{id}/cancel /v1/backups /v1/backups/import /v1/backups/{id}/restore',
      'PATCH /v1/keys/{id} /v1/account /v1/settings /v1/telemetry',
      'DELETE /v1/keys/{id} /v1/providers/{id} /v1/models/{id} /v1/webhook /v1/requests/bodies',
      'DELETE /v1/backups/{id}/restore',
      'PUT /v1/providers/{id} /v1/models/{id} /v1/webhook',
      'POST /v1/history /v1/rules',
      'PATCH /v1/rules/{id}',
      'DELETE /v1/history /v1/history/import /v1/rules/{id}',
    ),
    allowed: ['admin'],
  },
]

/** Gemini's envelope has a status instead of a type. */
const CallResult = z.object({
  error: z
    .object({ type: z.string().optional(), status: z.unknown().optional(), message: z.string() })
    .optional(),
})

/** The status and error of an operation, without the body of a stream that would not end. */
async function callOperation(
  operation: string,
  secret: string,
): Promise<{ status: number; json: z.infer<typeof CallResult> }> {
  const [method = '', path = ''] = operation.split(' ')
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
  const gone = new AbortController()
  const response = await fetch(tollgate.baseUrl + path.replace('{id}', 'none'), {
    method,
    headers: {
      ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    },
    ...(hasBody ? { body: '{"nothing":"known"}' } : {}),
    signal: gone.signal,
  })
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const json = !isJson ? {} : CallResult.parse(await response.json())
  gone.abort()
  return { status: response.status, json }
}

for (const { text, operations, allowed } of MATRIX) {
  rule('Scopes', text, async () => {
    for (const operation of operations) {
      for (const scope of SCOPES) {
        const { status, json } = await callOperation(operation, secrets.get(scope) ?? '')
        if (allowed.includes(scope))
          expect([operation, scope, [401, 403].includes(status)]).toEqual([operation, scope, false])
        else {
          expect([operation, scope, status]).toEqual([operation, scope, 403])
          expect(['permission_error', 'PERMISSION_DENIED']).toContain(json.error?.type ?? json.error?.status)
          for (const needed of allowed) expect(json.error?.message).toContain(`"${needed}"`)
        }
      }
    }
  })
}

rule('Scopes', 'completions-only and full keys get 403 from /v1/keys', async () => {
  for (const scope of ['completions-only', 'full'] as const) {
    const { status, json } = await tollgate.call('GET', '/v1/keys', { as: secrets.get(scope) ?? '' })
    expect([status, json.error.type]).toEqual([403, 'permission_error'])
  }
})

rule('Scopes', 'A missing, malformed, unknown or revoked key gets 401, whatever the operation', async () => {
  const gone = await tollgate.createKey({ name: 'gone', scope: 'admin' })
  await tollgate.call('DELETE', `/v1/keys/${gone.id}`)
  const unknown = `tg-${'A'.repeat(43)}`
  for (const operation of MATRIX.flatMap((row) => row.operations)) {
    for (const secret of ['', 'nonsense', unknown, gone.secret]) {
      const { status, json } = await callOperation(operation, secret)
      expect([operation, status]).toEqual([operation, 401])
      expect(['authentication_error', 'UNAUTHENTICATED']).toContain(json.error?.type ?? json.error?.status)
    }
  }
})

rule('Scopes', 'The scheme is Authorization: Bearer; other schemes are rejected', async () => {
  for (const authorization of [
    `Basic ${tollgate.admin}`,
    tollgate.admin,
    'Bearer',
    `Bearer ${tollgate.admin} x`,
  ]) {
    const answer = await tollgate.call('GET', '/v1/models', { as: '', headers: { authorization } })
    expect(answer.status).toBe(401)
  }
})

rule('Scopes', 'The matrix contains every operation', async () => {
  const { json } = await tollgate.call('GET', '/openapi.json', { as: '' })
  const served = Object.entries<Record<string, object>>(json.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const inMatrix = MATRIX.flatMap((row) => row.operations)
  const open = ['GET /healthz', 'GET /api/hello']
  expect(served.filter((operation) => !open.includes(operation)).sort()).toEqual(inMatrix.toSorted())
})
