import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const tollgate = await startTestGateway()
afterAll(() => tollgate.close())

const { host, hostname, port } = new URL(tollgate.baseUrl)

function post(body: object): string {
  const text = JSON.stringify({ model: 'sandbox-small', ...body })
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${tollgate.admin}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}

test('a request on a connection that a failed stream has ended is not served, as its answer could not be sent', async () => {
  // A client that still writes after the gateway has ended its side.
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  socket.on('error', () => {})
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const cut = { messages: [{ role: 'user', content: '[[sandbox:cut]] Tell me a story' }] }
  socket.write(post({ ...cut, stream: true }))
  await once(socket, 'end')
  socket.end(post({ messages: [{ role: 'user', content: 'Hello' }] }))
  await once(socket, 'close')
  await tollgate.chat({})
  expect(received).toContain('"error":')
  expect(received.split('HTTP/1.1 200')).toHaveLength(2)
  const records = await tollgate.records()
  expect(records.map(({ stream, status }) => [stream, status])).toEqual([
    [false, 'succeeded'],
    [true, 'failed'],
  ])
})
