import OpenAI from 'openai'
import { afterAll, expect } from 'vitest'
import { CredentialStoreError } from '../gateway/models/providers/credential-store.ts'
import { createMemoryCredentials, startTestGateway } from '../gateway/testing/gateway.ts'
import { openaiFor } from './testing/openai-client.ts'
import { startProgram } from './testing/program.ts'
import { getRejection } from './testing/rejection.ts'
import { rule } from './testing/rule.ts'
import { addFailingModels, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
await addFailingModels(tollgate, upstream)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const baseURL = `${tollgate.baseUrl}/v1`
const openai = openaiFor(tollgate)
const model = 'sandbox-small'
const prompt = 'What is the weather in Rome? [[sandbox:tool get_weather]]'
const messages = [{ role: 'user' as const, content: prompt }]

rule('Client libraries', 'openai: invalid_request_error is a BadRequestError with param', async () => {
  const error = await getRejection(openai().chat.completions.create({ model, messages, temperature: 3 }))
  expect(error).toBeInstanceOf(OpenAI.BadRequestError)
  expect(error).toMatchObject({
    type: 'invalid_request_error',
    param: 'temperature',
    requestID: expect.stringMatching(/^req_/),
  })
})

rule('Client libraries', 'openai: authentication_error is an AuthenticationError', async () => {
  const error = await getRejection(openai(`tg-${'x'.repeat(43)}`).models.list())
  expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
  expect(error).toMatchObject({ type: 'authentication_error' })
})

rule('Client libraries', 'openai: permission_error is a PermissionDeniedError', async () => {
  const { secret } = await tollgate.createKey({ name: 'reads', scope: 'read-only' })
  const error = await getRejection(openai(secret).chat.completions.create({ model, messages }))
  expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
  expect(error).toMatchObject({ type: 'permission_error' })
})

rule('Client libraries', 'openai: not_found_error is a NotFoundError', async () => {
  const error = await getRejection(openai().chat.completions.create({ model: 'none', messages }))
  expect(error).toBeInstanceOf(OpenAI.NotFoundError)
  expect(error).toMatchObject({ type: 'not_found_error', code: 'model_not_found' })
})

rule(
  'Client libraries',
  'openai: insufficient_quota is an APIError with status 402, never retried',
  async () => {
    const { secret } = await tollgate.createKey({ name: 'broke', scope: 'full', spendLimitUsd: 0 })
    let calls = 0
    const counting = new OpenAI({
      baseURL,
      apiKey: secret,
      maxRetries: 3,
      fetch: (url, init) => {
        calls++
        return fetch(url, init)
      },
    })
    const error = await getRejection(counting.chat.completions.create({ model, messages }))
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ status: 402, type: 'insufficient_quota', code: 'spend_limit_reached' })
    expect(calls).toBe(1)
  },
)

rule('Client libraries', 'openai: rate_limit_exceeded is a RateLimitError', async () => {
  const { secret } = await tollgate.createKey({ name: 'once', scope: 'full', rpmLimit: 1 })
  await openai(secret).chat.completions.create({ model, messages })
  const error = await getRejection(openai(secret).chat.completions.create({ model, messages }))
  expect(error).toBeInstanceOf(OpenAI.RateLimitError)
  expect(error).toMatchObject({ type: 'rate_limit_exceeded' })
})

rule(
  'Client libraries',
  'openai: upstream_error is an InternalServerError, or an APIError with status 408',
  async () => {
    const [failed, late] = await Promise.all(
      ['fails-503', 'late'].map((name) =>
        getRejection(openai().chat.completions.create({ model: name, messages })),
      ),
    )
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError)
    expect(failed).toMatchObject({ status: 503, type: 'upstream_error' })
    expect(late).toBeInstanceOf(OpenAI.APIError)
    expect(late).toMatchObject({ status: 408, type: 'upstream_error' })
  },
)

rule('Client libraries', 'openai: server_error is an InternalServerError', async () => {
  const locked = await startTestGateway({
    credentials: {
      ...createMemoryCredentials(),
      set: () => Promise.reject(new CredentialStoreError('The keychain is locked.')),
    },
  })
  const client = openaiFor(locked)()
  const error = await getRejection(client.put('/providers/openai', { body: { credential: 'a secret' } }))
  await locked.close()
  expect(error).toBeInstanceOf(OpenAI.InternalServerError)
  expect(error).toMatchObject({ type: 'server_error', message: expect.stringContaining('locked') })
})

rule(
  'Client libraries',
  'openai: an error chunk in a stream is thrown as an APIError, by the plain stream and the helper',
  async () => {
    const stream = await openai().chat.completions.create({ model: 'breaks', messages, stream: true })
    let text = ''
    const error = await getRejection(
      (async () => {
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      })(),
    )
    expect(text).toBe('Half')
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ type: 'upstream_error' })
    const helper = openai().chat.completions.stream({ model: 'breaks', messages })
    expect(await getRejection(helper.finalChatCompletion())).toBeInstanceOf(OpenAI.APIError)
  },
)
