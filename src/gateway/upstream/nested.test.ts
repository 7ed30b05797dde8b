import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { TRANSLATED } from '../formats/chat/events.ts'
import { UpstreamPool } from './connection-pool.ts'
import { sendHttpCall } from './http-adapter.ts'
import {
  startTestUpstream,
  type TestUpstream,
  testChunk,
  testCompletion,
  testTarget,
} from './testing/test-upstream.ts'

const request: ChatRequest = { model: 'x', messages: [{ role: 'user', content: 'Hi' }] }
const never = new AbortController().signal
const nest = (value: object) =>
  JSON.stringify(value).replace(/}$/, `,"deep":${'['.repeat(1e5)}${']'.repeat(1e5)}}`)

let pool: UpstreamPool
let server: TestUpstream

beforeEach(async () => {
  pool = new UpstreamPool()
  server = await startTestUpstream((exchange) => {
    if (exchange.request.json().stream)
      exchange
        .begin()
        .data(testChunk({ content: 'a' }), nest(testChunk({ content: 'b' })), '[DONE]')
        .end()
    else exchange.reply(200, nest(testCompletion('Hi')))
  })
})

afterEach(async () => {
  await pool.close()
  await server.close()
})

const send = (over: Partial<ChatRequest> = {}) =>
  sendHttpCall(
    {
      target: testTarget(server.url),
      request: { ...request, ...over },
      encoded: null,
      mode: TRANSLATED,
      credential: 'k',
      signal: never,
    },
    pool,
  )

it('a plain answer nested 100,000 levels deep is malformed', async () => {
  await expect(send()).rejects.toMatchObject({ kind: 'malformed' })
})

it('a stream that nests 100,000 levels deep fails with what came before', async () => {
  const answer = await send({ stream: true })
  if (answer.kind !== 'stream') throw new Error('not a stream')
  const types: string[] = []
  for await (const batch of answer.events)
    types.push(...batch.map((event) => (event.type === 'failed' ? event.failure.kind : event.type)))
  expect(types).toEqual(['chunk', 'malformed'])
})
