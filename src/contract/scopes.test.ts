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

const SCOPES: readonly Scope[] = ['admin', 'full', 'read-only', 'completions-only']
const secrets = new Map<Scope, string>()
for (const scope of SCOPES) secrets.set(scope, (await tollgate.createKey({ name: scope, scope })).secret)

interface Row {
  text: string
  /** Method and path, as the OpenAPI document writes them. */
  operations: readonly string[]
  allowed: readonly Scope[]
}

/** Which scopes may call which operations. */
const MATRIX: readonly Row[] = [
  {
    text: 'Chat completions, messages and generated content: admin, full and completions-only; read-only gets 403',
    operations: [
      'POST /v1/chat/completions',
      'POST /v1/messages',
      'POST /v1/messages/count_tokens',
      'POST /v1/completions',
      'POST /v1/fim/completions',
      'POST /v1/responses',
      'GET /v1/responses/{id}',
      'DELETE /v1/responses/{id}',
      'GET /v1/responses/{id}/input_items',
      'POST /v1beta/models/{id}:generateContent',
      'POST /v1beta/models/{id}:streamGenerateContent',
      'POST /v1beta/models/{id}:countTokens',
      'POST /v1/embeddings',
      'POST /v1/moderations',
      'POST /v1/rerank',
      'POST /v1/images/generations',
      'POST /v1/images/edits',
      'POST /v1/audio/speech',
      'POST /v1/audio/transcriptions',
      'POST /v1/audio/translations',
    ],
    allowed: ['admin', 'full', 'completions-only'],
  },
  {
    text: 'Reading models and the calling key, and asking its owner for more: every scope',
    operations: [
      'GET /v1/models',
      'GET /v1/models/{id}',
      'GET /v1beta/models',
      'GET /v1beta/models/{id}',
      'GET /v1/key',
      'GET /v1/plan-windows',
      'POST /v1/approvals',
    ],
    allowed: SCOPES,
  },
  {
    text: 'Estimates, plans and prices: all but completions-only',
    operations: [
      'POST /v1/pricing/estimate',
      'GET /v1/plans',
      'GET /v1/plan-windows/{id}/history',
      'GET /v1/plan-windows/{id}/shares',
      'GET /v1/prices',
      'GET /v1/prices/suggestions',
    ],
    allowed: ['admin', 'full', 'read-only'],
  },
  {
    text: 'Records, usage, account and events: all but completions-only',
    operations: [
      'GET /v1/requests',
      'GET /v1/requests/totals',
      'GET /v1/requests/running',
      'GET /v1/requests/{id}',
      'GET /v1/requests/{id}/receipt',
      'GET /v1/receipts/sum',
      'GET /v1/reconciliations',
      'GET /v1/reconciliations/{id}',
      'GET /v1/sessions',
      'GET /v1/sessions/totals',
      'GET /v1/sessions/{id}',
      'GET /v1/usage',
      'GET /v1/usage/caching',
      'GET /v1/usage/reprice',
      'GET /v1/account',
      'GET /v1/approvals',
      'GET /v1/events',
      'GET /metrics',
    ],
    allowed: ['admin', 'full', 'read-only'],
  },
  {
    text: 'Stored prompts and answers, settling a request, reconciling, and recording branches: admin only',
    operations: [
      'GET /v1/requests/{id}/bodies',
      'GET /v1/sessions/{id}/steps',
      'POST /v1/requests/{id}/settle',
      'POST /v1/requests/{id}/release',
      'POST /v1/requests/{id}/stop',
      'POST /v1/git',
      'POST /v1/reconciliations',
      'POST /v1/reconciliations/{id}/settle',
      'DELETE /v1/reconciliations/{id}',
    ],
    allowed: ['admin'],
  },
  {
    text: 'Keys, providers, changing models, account, settings and backups: admin only; full is not enough',
    operations: [
      'GET /v1/keys',
      'POST /v1/keys',
      'GET /v1/keys/{id}',
      'PATCH /v1/keys/{id}',
      'DELETE /v1/keys/{id}',
      'GET /v1/providers',
      'PUT /v1/providers/{id}',
      'DELETE /v1/providers/{id}',
      'POST /v1/providers/{id}/test',
      'POST /v1/providers/{id}/try',
      'POST /v1/providers/{id}/models',
      'POST /v1/providers/{id}/import',
      'POST /v1/providers/discover',
      'GET /v1/providers/environment',
      'POST /v1/prices/refresh',
      'PUT /v1/models/{id}',
      'DELETE /v1/models/{id}',
      'PATCH /v1/account',
      'POST /v1/approvals/{id}',
      'POST /v1/keys/{id}/spend-limits/rehearse',
      'POST /v1/account/spend-limits/rehearse',
      'POST /v1/keys/{id}/pause',
      'POST /v1/keys/{id}/resume',
      'POST /v1/pause',
      'POST /v1/resume',
      'GET /v1/webhook',
      'PUT /v1/webhook',
      'DELETE /v1/webhook',
      'POST /v1/webhook/test',
      'GET /v1/settings',
      'PATCH /v1/settings',
      'DELETE /v1/requests/bodies',
      'GET /v1/activity',
      'POST /v1/activity/seen',
      'GET /v1/gateway',
      'GET /v1/network',
      'GET /v1/telemetry',
      'PATCH /v1/telemetry',
      'POST /v1/telemetry/test',
      'GET /v1/backups',
      'POST /v1/backups',
      'GET /v1/backups/{id}/file',
      'POST /v1/backups/import',
      'POST /v1/backups/{id}/restore',
      'DELETE /v1/backups/{id}/restore',
    ],
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
