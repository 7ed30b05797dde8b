import { afterEach, expect, test, vi } from 'vitest'
import { StreamNormalizer } from '../formats/chat/normalize.ts'
import { HttpClientStream } from '../http/send-response.ts'
import { readData, startTestGateway } from '../testing/gateway.ts'
import { forTest } from '../testing/lifetime.ts'
import { startTestUpstream, testChunk } from '../upstream/testing/test-upstream.ts'

afterEach(() => void vi.restoreAllMocks())

test('an internal error during a stream ends it with an error chunk, without [DONE], and settles it', async () => {
  const upstream = await forTest(
    startTestUpstream((context) => {
      context.begin().data(testChunk({ content: 'one' }), testChunk({ content: 'two' }))
    }),
  )
  const tollgate = await startTestGateway()
  await tollgate.addProvider('acme', upstream.url, ['endless'])
  const next = StreamNormalizer.prototype.next
  let chunks = 0
  vi.spyOn(StreamNormalizer.prototype, 'next').mockImplementation(function (this: StreamNormalizer, event) {
    if (++chunks === 2) throw new Error('a fault')
    return next.call(this, event)
  })
  const { status, text } = await tollgate.chat({ model: 'endless', stream: true })
  expect(status).toBe(200)
  const data = readData(text)
  expect(data[0].choices[0].delta).toMatchObject({ content: 'one' })
  expect(data.at(-1)).toEqual({
    error: { type: 'server_error', message: expect.stringMatching(/inside Tollgate/) },
  })
  const { json } = await tollgate.call('GET', '/v1/account')
  expect([json.reservedUsd, json.spendUsd > 0]).toEqual([0, true])
  await tollgate.close()
})

test('an internal error after the last byte leaves the answer complete', async () => {
  const tollgate = await startTestGateway()
  const { send, end } = HttpClientStream.prototype
  vi.spyOn(HttpClientStream.prototype, 'send').mockImplementation(function (this: HttpClientStream, ...args) {
    send.apply(this, args)
    throw new Error('a fault')
  })
  vi.spyOn(HttpClientStream.prototype, 'end').mockImplementationOnce(function (
    this: HttpClientStream,
    ...args
  ) {
    end.apply(this, args)
    throw new Error('a fault')
  })
  const plain = await tollgate.chat({})
  expect([plain.status, plain.json.object]).toEqual([200, 'chat.completion'])
  const streamed = await tollgate.chat({ stream: true })
  expect(streamed.text.endsWith('data: [DONE]\n\n')).toBe(true)
  await tollgate.close()
})
