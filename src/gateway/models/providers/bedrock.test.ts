import { describe, expect, test } from 'vitest'
import { replay } from '../../formats/anthropic-messages/testing/encode.ts'
import { encodeChunk, encodeEventStream, encodeException } from '../../formats/testing/event-stream.ts'
import { readData, startTestGateway } from '../../testing/gateway.ts'
import { forTest } from '../../testing/lifetime.ts'
import { findSignatureFault } from '../../upstream/testing/aws-verifier.ts'
import { startTestUpstream, type TestHandler, testCompletion } from '../../upstream/testing/test-upstream.ts'

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const ACCESS_KEY = `AKIDEXAMPLEAKIDEXAMP:${SECRET}`
const MODEL = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const EVENT_STREAM = { 'content-type': 'application/vnd.amazon.eventstream' }
const CONTENT = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] }

const models = {
  modelSummaries: [
    {
      modelId: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
      modelName: 'Claude Sonnet 4.5',
      inferenceTypesSupported: ['INFERENCE_PROFILE'],
    },
    { modelId: 'anthropic.claude-3-haiku-20240307-v1:0', inferenceTypesSupported: ['ON_DEMAND'] },
    {
      modelId: 'anthropic.claude-v2',
      inferenceTypesSupported: ['ON_DEMAND'],
      modelLifecycle: { status: 'LEGACY' },
    },
    { modelId: 'openai.gpt-oss-120b-1:0', inferenceTypesSupported: ['ON_DEMAND'] },
    { modelId: 'amazon.rerank-v1:0', inferenceTypesSupported: ['ON_DEMAND'] },
    { modelId: 'acme.talks-v1:0', inferenceTypesSupported: ['ON_DEMAND'], inputModalities: ['SPEECH'] },
  ],
}
const profiles = {
  inferenceProfileSummaries: [
    { inferenceProfileId: MODEL, inferenceProfileName: 'US Claude Sonnet 4.5', status: 'ACTIVE' },
    { inferenceProfileId: 'us.amazon.nova-pro-v1:0', status: 'ACTIVE' },
    { inferenceProfileId: 'us.stability.stable-image-inpaint-v1:0', status: 'ACTIVE' },
    { inferenceProfileId: 'global.cohere.embed-v4:0', status: 'ACTIVE' },
  ],
}

/** A gateway with the provider set up; the lists are answered, and other requests by `handler`. */
async function startBedrock(handler: TestHandler, put: object = {}, id = 'bedrock') {
  const faults: (string | null)[] = []
  const upstream = await forTest(
    startTestUpstream((exchange) => {
      const { path } = exchange.request
      faults.push(findSignatureFault(exchange.request, SECRET))
      if (path.startsWith('/foundation-models')) exchange.reply(200, models)
      else if (path.startsWith('/inference-profiles')) exchange.reply(200, profiles)
      else return handler(exchange)
    }),
  )
  const gateway = await forTest(startTestGateway())
  const body = { baseUrl: upstream.url, credential: ACCESS_KEY, authorization: 'aws-access-key', ...put }
  expect((await gateway.call('PUT', `/v1/providers/${id}`, { body })).status).toBe(200)
  const listed = await gateway.call('POST', `/v1/providers/${id}/models`)
  return { gateway, upstream, faults, listed: listed.json.data?.map((row: { id: string }) => row.id) }
}

describe('Claude', () => {
  test('models and profiles are listed, and a plain call is signed and charged exactly', async () => {
    const { gateway, upstream, faults, listed } = await startBedrock((exchange) =>
      exchange.reply(200, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5-20250929',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1000, output_tokens: 100 },
      }),
    )
    expect(listed).toEqual([
      'anthropic.claude-3-haiku-20240307-v1:0',
      'openai.gpt-oss-120b-1:0',
      MODEL,
      'us.amazon.nova-pro-v1:0',
    ])
    const answer = await gateway.chat({ ...CONTENT, max_tokens: 50 })
    expect(answer.json.choices[0].message.content).toBe('Hello')
    // 3.30 and 16.50 USD per million: the price of a profile within a region.
    expect(answer.headers.get('x-service-cost-usd')).toBe('0.004950')
    const sent = upstream.requests.at(-1)
    expect(sent?.path).toBe(`/model/${encodeURIComponent(MODEL)}/invoke`)
    expect(sent?.json()).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 50,
      messages: [{ role: 'user', content: expect.anything() }],
    })
    expect(sent?.headers['anthropic-version']).toBeUndefined()
    expect(faults).toEqual([null, null, null])
    const model = await gateway.call('GET', `/v1/models/${encodeURIComponent(MODEL)}`)
    expect(model.json).toMatchObject({ name: 'US Claude Sonnet 4.5', provider: 'bedrock' })
    expect(model.json.capabilities).toContain('vision')
  })

  test('an event stream reaches the client, with exact cost', async () => {
    const { gateway, upstream, faults } = await startBedrock((exchange) => {
      exchange.begin(EVENT_STREAM).raw(encodeEventStream(replay.text('stream')))
      exchange.end()
    })
    const request = { ...CONTENT, stream: true, stream_options: { include_usage: true } }
    const answer = await gateway.chat(request)
    const events = readData(answer.text)
    const text = events.map((event) => event.choices?.[0]?.delta?.content ?? '').join('')
    expect([text, events.at(-1)]).toEqual(['Grüße aus 東京 🚆', '[DONE]'])
    // 8 of input, 4 read from the cache and 7 of output, at 3.30, 0.33 and 16.50 USD per million.
    expect(events.find(({ usage }) => usage)?.usage.cost).toBe(0.00014322)
    expect(upstream.requests.at(-1)?.path).toContain('/invoke-with-response-stream')
    expect(upstream.requests.at(-1)?.json()).not.toHaveProperty('stream')
    expect(faults.at(-1)).toBeNull()
  })

  test('a client of the same format gets the events as they came, and its beta features are in the body', async () => {
    const { gateway, upstream, faults } = await startBedrock((exchange) => {
      exchange.begin(EVENT_STREAM).raw(encodeEventStream(replay.text('stream')))
      exchange.end()
    })
    const body = { ...CONTENT, max_tokens: 50, stream: true, thinking: { type: 'disabled' } }
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'feature-a, feature-b' }
    const answer = await gateway.call('POST', '/v1/messages', { body, headers })
    expect(answer.text).toContain('event: message_start\ndata: {"type":"message_start"')
    expect(answer.text).toContain('event: message_stop\n')
    expect(answer.text).toContain('東京 🚆')
    const { model: _, stream: __, ...rest } = body
    expect(upstream.requests.at(-1)?.json()).toEqual({
      ...rest,
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['feature-a', 'feature-b'],
    })
    const sent = upstream.requests.at(-1)?.headers
    expect([sent?.['anthropic-beta'], sent?.['anthropic-version']]).toEqual([undefined, undefined])
    expect(faults.at(-1)).toBeNull()
    const counted = await gateway.call('POST', '/v1/messages/count_tokens', { body: CONTENT })
    expect([counted.status, counted.json.input_tokens > 0]).toEqual([200, true])
  })

  test('an exception before the text has the status of its kind', async () => {
    const { gateway } = await startBedrock((exchange) => {
      exchange.begin(EVENT_STREAM).raw(encodeException('serviceUnavailableException', 'Try again'))
      exchange.end()
    })
    const answer = await gateway.chat({ ...CONTENT, stream: true })
    expect([answer.status, answer.json.error.message]).toEqual([503, 'Try again'])
  })

  test('damage within the text ends the stream with an error', async () => {
    const { gateway } = await startBedrock((exchange) => {
      const whole = encodeEventStream(replay.text('stream'))
      exchange.begin(EVENT_STREAM).raw(whole.subarray(0, whole.length - 20))
      exchange.end()
    })
    const answer = await gateway.chat({ ...CONTENT, stream: true })
    expect(readData(answer.text).at(-1)).toMatchObject({
      error: { type: 'upstream_error', message: 'The stream ended inside a message.' },
    })
  })

  test('a rejected signature is reported in the words of AWS', async () => {
    const message = 'The security token included in the request is invalid.'
    const type = { 'x-amzn-errortype': 'UnrecognizedClientException' }
    const upstream = await forTest(startTestUpstream((exchange) => exchange.reply(403, { message }, type)))
    const gateway = await forTest(startTestGateway())
    const body = { baseUrl: upstream.url, credential: ACCESS_KEY, authorization: 'aws-access-key' }
    await gateway.call('PUT', '/v1/providers/bedrock', { body })
    const tested = await gateway.call('POST', '/v1/providers/bedrock/test')
    const advice = 'Check the access key, and whether its account may use the region.'
    expect(tested.json).toMatchObject({
      ok: false,
      error: `The server refused access (403): ${message} ${advice}`,
    })
    expect(tested.text).not.toContain(SECRET)
  })
})

const ARN = 'arn:aws:bedrock:us-east-1:123456789012'
test.each([
  ['claude-of-ours', `${ARN}:application-inference-profile/a1b2`, 'invoke'],
  ['ours', `${ARN}:application-inference-profile/a1b2`, 'converse'],
  ['ours', `${ARN}:inference-profile/${MODEL}`, 'invoke'],
  ['claude-of-ours', 'us.amazon.nova-pro-v1:0', 'converse'],
])('the model %s with the id %s is called with %s', async (id, upstreamModel, action) => {
  const { gateway, upstream } = await startBedrock((exchange) => exchange.reply(400, { message: 'No.' }))
  await gateway.call('PUT', `/v1/models/${id}`, { body: { provider: 'bedrock', upstreamModel } })
  await gateway.chat({ ...CONTENT, model: id })
  expect(upstream.requests.at(-1)?.path).toBe(`/model/${encodeURIComponent(upstreamModel)}/${action}`)
})

test('an API key of Bedrock is sent as a bearer token', async () => {
  const { upstream } = await startBedrock(() => {}, { credential: 'ABSKexample', authorization: 'bearer' })
  expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer ABSKexample',
    'Bearer ABSKexample',
  ])
})

test('OpenAI’s models are called in their own format', async () => {
  const { gateway, upstream, faults, listed } = await startBedrock(
    (exchange) => exchange.reply(200, testCompletion('Hello')),
    {},
    'bedrock-openai',
  )
  expect(listed).toEqual(['openai.gpt-oss-120b-1:0'])
  await gateway.call('PUT', '/v1/providers/bedrock-openai', {
    body: { baseUrl: `${upstream.url}/openai/v1` },
  })
  const answer = await gateway.chat({ model: 'openai.gpt-oss-120b-1:0' })
  expect(answer.json.choices[0].message.content).toBe('Hello')
  // 5 tokens of input and 3 of output at 0.15 and 0.60 USD per million.
  expect(answer.json.usage.cost).toBe(0.00000255)
  expect(upstream.requests.at(-1)?.path).toBe('/openai/v1/chat/completions')
  expect(faults.at(-1)).toBeNull()
})

test('a credential that is no access key is refused when it is entered, without repeating it', async () => {
  const gateway = await forTest(startTestGateway())
  const credential = 'canary-is-no-access-key'
  const body = { baseUrl: 'https://x.example', credential, authorization: 'aws-access-key' }
  const refused = await gateway.call('PUT', '/v1/providers/bedrock', { body })
  expect([refused.status, refused.json.error.param]).toEqual([400, 'credential'])
  expect(refused.json.error.message).toContain('ACCESS_KEY_ID:SECRET_ACCESS_KEY')
  expect(refused.text).not.toContain(credential)
})

test('a test names the permissions that are missing, and a region that does not exist', async () => {
  const message = 'User: arn:aws:iam::1:user/a is not authorized to perform: bedrock:ListFoundationModels'
  const upstream = await forTest(startTestUpstream((exchange) => exchange.reply(403, { message })))
  const gateway = await forTest(startTestGateway())
  const check = async (baseUrl: string) => {
    const body = { baseUrl, credential: ACCESS_KEY, authorization: 'aws-access-key' }
    await gateway.call('PUT', '/v1/providers/bedrock', { body })
    return (await gateway.call('POST', '/v1/providers/bedrock/test')).json.error
  }
  expect(await check(upstream.url)).toContain('Allow its role bedrock:ListFoundationModels')
  expect(await check('https://bedrock-runtime.no-such-region.invalid')).toBe(
    'The host bedrock.no-such-region.invalid was not found. Check the region.',
  )
})

test('a chunk of the stream that is not JSON ends in an error', async () => {
  const { gateway } = await startBedrock((exchange) => {
    exchange.begin(EVENT_STREAM).raw(encodeChunk('"no object"'))
    exchange.end()
  })
  expect((await gateway.chat({ ...CONTENT, stream: true })).status).toBe(502)
})

test('with a login of this machine no credential is needed or read, and plain http beyond this network is refused', async () => {
  const gateway = await forTest(
    startTestGateway({
      credentials: {
        kind: 'memory',
        set: async () => {},
        delete: async () => {},
        get: async () => {
          throw new Error('a credential was read')
        },
      },
    }),
  )
  const put = (body: object) => gateway.call('PUT', '/v1/providers/bedrock', { body })
  const https = { baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com' }
  expect((await put(https)).json.health.state).toBe('no-credential')
  expect((await put({ authorization: 'aws-login' })).json).toMatchObject({
    needsCredential: false,
    authorization: 'aws-login',
    authorizations: ['bearer', 'aws-access-key', 'aws-login'],
    health: { state: 'ready' },
  })
  const refused = await put({ baseUrl: 'http://bedrock.example' })
  expect([refused.status, refused.json.error.code]).toEqual([400, 'insecure_http'])
})
