import { gzipSync } from 'node:zlib'
import { afterAll, expect } from 'vitest'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import { ErrorEnvelope } from '../shared/api/errors.ts'
import { startProgram } from './testing/program.ts'
import { chatLines, chunkedHead, expectAlive, openConnection } from './testing/raw-chat.ts'
import { rule } from './testing/rule.ts'
import { startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

rule(
  'HTTP',
  'Bodies of unknown length use only the memory they need: one key can run many streams at once',
  async () => {
    await upstream.model('endless', (exchange) => {
      exchange.begin().data(testChunk({ content: 'more text' }))
    })
    const { secret } = await tollgate.createKey({ name: 'chunked', scope: 'completions-only' })
    const text = JSON.stringify({
      model: 'endless',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    const streams = Array.from({ length: 20 }, () => {
      const stream = openConnection(tollgate)
      stream.write(`${chunkedHead(tollgate, secret)}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`)
      return stream
    })
    for (const stream of streams) expect(await stream.read(/more text|^HTTP\/1.1 5/)).toMatch(/200 OK/)
    for (const stream of streams) stream.end()
    await expectAlive(tollgate)
  },
)

rule('HTTP', 'Large bodies that are announced but never sent do not block other requests', async () => {
  const { secret } = await tollgate.createKey({ name: 'announces', scope: 'completions-only' })
  const head = chunkedHead(tollgate, secret).replace('Transfer-Encoding: chunked', 'Content-Length: 33000000')
  const silent = Array.from({ length: 20 }, () => {
    const connection = openConnection(tollgate)
    connection.write(`${head}{"model":`)
    return connection
  })
  const other = await tollgate.createKey({ name: 'other', scope: 'full' })
  for (const as of [secret, other.secret, tollgate.admin]) {
    expect((await tollgate.chat({}, { as })).status).toBe(200)
  }
  for (const connection of silent) connection.end()
})

rule('HTTP', 'A key that sends too much at once is rejected; other keys are not', async () => {
  const { secret } = await tollgate.createKey({ name: 'greedy', scope: 'completions-only' })
  const mega = ' '.repeat(1 << 20)
  const sent = Array.from({ length: 6 }, async () => {
    const connection = openConnection(tollgate)
    connection.write(chunkedHead(tollgate, secret))
    for (let i = 0; i < 30; i++) connection.write(`100000\r\n${mega}\r\n`)
    return connection
  })
  const connections = await Promise.all(sent)
  const refused = await Promise.any(connections.map((each) => each.read(/"busy"/)))
  expect(refused).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1/)
  const other = await tollgate.createKey({ name: 'modest', scope: 'completions-only' })
  const content = 'x'.repeat(1 << 20)
  for (const as of [other.secret, tollgate.admin]) {
    const { status } = await tollgate.chat({ max_tokens: 1, messages: [{ role: 'user', content }] }, { as })
    expect(status).toBe(200)
  }
  for (const connection of connections) connection.end()
})

rule('HTTP', '415 for a compressed body, with an explanation', async () => {
  const body = gzipSync(JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'Hi' }] }))
  const answer = await fetch(`${tollgate.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tollgate.admin}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body,
  })
  const { error } = ErrorEnvelope.parse(await answer.json())
  expect([answer.status, error.type]).toEqual([415, 'invalid_request_error'])
  expect(error.message).toContain('uncompressed')
})

rule('HTTP', 'A client that disconnects while sending its body causes no error in the log', async () => {
  // `close` throws if the program logged an error.
  for (const head of [
    chunkedHead(tollgate, tollgate.admin),
    chatLines(tollgate, {})[0].concat('', '').join('\r\n'),
  ]) {
    const connection = openConnection(tollgate)
    connection.write(`${head}5\r\n{"mod\r\n`)
    // The disconnection has been handled by the time the next request is served.
    await tollgate.call('GET', '/healthz')
    connection.end()
  }
  await expectAlive(tollgate)
})
