import { expect, test } from 'vitest'
import { createLog, type LogFields, silentLog } from '../platform/log.ts'
import { ClientDisconnected } from '../request/in-flight.ts'
import { StoreError } from '../store/store.ts'
import { encodeHeaders, toGatewayError } from './send-response.ts'

test.each([
  ['full', 503, 'ledger_unavailable'],
  ['locked', 503, 'ledger_unavailable'],
  ['closed', 503, 'shutting_down'],
  ['thread_ended', 503, 'thread_unavailable'],
  ['failed', 500, undefined],
] as const)('a store error "%s" becomes %i', (code, status, errorCode) => {
  const error = toGatewayError(new StoreError(code, 'SQLITE says so'), silentLog)
  expect([error.status, error.body.code]).toEqual([status, errorCode])
  expect(error.body.message).not.toContain('SQLITE')
})

test('the message of a locked database names the other program', () => {
  const { body } = toGatewayError(new StoreError('locked', 'SQLITE says so'), silentLog)
  expect(body.type).toBe('server_error')
  expect(body.message).toContain('Another program is using the database')
})

test('a thread that has ended is logged, as only a restart may help', () => {
  const logged: LogFields[] = []
  const log = createLog({ write: (_level, _message, fields) => logged.push(fields) })
  const thrown = new StoreError('thread_ended', 'The reader thread of the store failed.')
  expect(toGatewayError(thrown, log).body.message).toContain('updated while it was running')
  expect(logged).toEqual([{ err: thrown }])
})

test('an unexpected error is logged with its details, which the response does not have', () => {
  const logged: LogFields[] = []
  const log = createLog({ write: (_level, _message, fields) => logged.push(fields) })
  toGatewayError(new ClientDisconnected(), log)
  expect(logged).toEqual([])
  const thrown = new Error('secret detail')
  const error = toGatewayError(thrown, log.child({ requestId: 'req_1' }))
  expect(error).toMatchObject({ status: 500, body: { type: 'server_error' } })
  expect(error.body.message).not.toContain('secret')
  expect(logged).toEqual([{ requestId: 'req_1', err: thrown }])
})

test.each([
  'gpt-5.5',
  'acme/model:free',
  '通义千问',
  'é',
  '100%',
  'a%41',
  'line\r\nSet-Cookie: x=1',
  'del\x7f and nul\0',
  '🦉',
])('a client can decode %j from the header that carries it', (value) => {
  const { name = '' } = encodeHeaders({ name: value })
  expect(name).toMatch(/^[\x20-\x7e]*$/)
  expect(decodeURIComponent(name)).toBe(value)
})

test('an unpaired surrogate is replaced', () => {
  expect(encodeHeaders({ name: 'a\ud800b' })).toEqual({ name: 'a%EF%BF%BDb' })
})
