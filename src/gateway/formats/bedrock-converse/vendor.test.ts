// The scripted vendor is as AWS's own client expects it.
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { expect, test } from 'vitest'
import { forFile } from '../../testing/lifetime.ts'
import { startTestUpstream } from '../../upstream/testing/test-upstream.ts'
import { ACCESS_KEY, API_KEY, type ScriptedAnswer, ScriptedConverse } from './testing/vendor.ts'

const answer: ScriptedAnswer = {
  content: [
    { reasoningContent: { reasoningText: { text: 'I need both.', signature: 'ErUBCkYIBRgCIkD0b5' } } },
    { reasoningContent: { redactedContent: 'c2VjcmV0' } },
    { text: 'Grüße aus 東京 🚆' },
    { toolUse: { toolUseId: 'tooluse_1', name: 'get_weather', input: { city: 'Rome' } } },
  ],
  stopReason: 'tool_use',
  usage: {
    inputTokens: 562,
    outputTokens: 4,
    totalTokens: 4544,
    cacheReadInputTokens: 0,
    cacheWriteInputTokens: 3978,
    cacheDetails: [
      { ttl: '1h', inputTokens: 3000 },
      { ttl: '5m', inputTokens: 978 },
    ],
  },
}
const vendor = new ScriptedConverse(() => answer)
const upstream = await forFile(startTestUpstream(vendor.handler))
const [accessKeyId = '', secretAccessKey = ''] = ACCESS_KEY.split(':')
// By default, the client speaks HTTP/2 only.
const requestHandler = new NodeHttpHandler()
const options = { endpoint: upstream.url, region: 'us-east-1', maxAttempts: 1, requestHandler }
const clients = {
  signatures: new BedrockRuntimeClient({ ...options, credentials: { accessKeyId, secretAccessKey } }),
  'an API key': new BedrockRuntimeClient({
    ...options,
    token: { token: API_KEY },
    authSchemePreference: ['httpBearerAuth'],
  }),
}
const input = {
  modelId: 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2',
  messages: [
    {
      role: 'user' as const,
      content: [
        { text: 'Hi' },
        { image: { format: 'png' as const, source: { bytes: Buffer.from('image') } } },
      ],
    },
  ],
}

test.each(Object.entries(clients))('AWS’s client with %s reads the plain answer', async (_, client) => {
  const { output, stopReason, usage } = await client.send(new ConverseCommand(input))
  expect([stopReason, usage]).toEqual([answer.stopReason, answer.usage])
  expect(output?.message?.content?.slice(1)).toEqual([
    { reasoningContent: { redactedContent: new Uint8Array(Buffer.from('secret')) } },
    ...answer.content.slice(2),
  ])
  expect(vendor.calls.at(-1)).toMatchObject({ modelId: input.modelId, isStream: false })
})

test.each(Object.entries(clients))('AWS’s client with %s reads the stream', async (_, client) => {
  const { stream } = await client.send(new ConverseStreamCommand(input))
  let text = ''
  let args = ''
  let reasoning = ''
  const last: string[] = []
  for await (const event of stream ?? []) {
    const { delta } = event.contentBlockDelta ?? {}
    text += delta?.text ?? ''
    args += delta?.toolUse?.input ?? ''
    reasoning += delta?.reasoningContent?.text ?? delta?.reasoningContent?.signature ?? ''
    last.push(...Object.keys(event))
    if (event.metadata) expect(event.metadata.usage).toEqual(answer.usage)
  }
  expect([text, args, reasoning]).toEqual([
    'Grüße aus 東京 🚆',
    '{"city":"Rome"}',
    'I need both.ErUBCkYIBRgCIkD0b5',
  ])
  expect(last.slice(-2)).toEqual(['messageStop', 'metadata'])
})

test('AWS’s client reads errors before and in a stream', async () => {
  const error = { status: 429, type: 'ThrottlingException', message: 'Too many requests' }
  vendor.script = () => ({ ...answer, error })
  const client = clients.signatures
  await expect(client.send(new ConverseCommand(input))).rejects.toMatchObject({
    name: error.type,
    message: error.message,
  })
  vendor.script = () => ({ ...answer, exception: { type: 'modelStreamErrorException', after: 3 } })
  const { stream } = await client.send(new ConverseStreamCommand(input))
  const readAll = async () => {
    for await (const _ of stream ?? []);
  }
  await expect(readAll()).rejects.toMatchObject({ name: 'ModelStreamErrorException' })
  await expect(
    client.send(new ConverseCommand({ ...input, messages: [{ role: 'user', content: [{ text: ' ' }] }] })),
  ).rejects.toMatchObject({ name: 'ValidationException' })
})
