import { expect, test } from 'vitest'
import { createLog, type LogFields, silentLog } from '../platform/log.ts'
import { ClientDisconnected } from '../request/in-flight.ts'
import { StoreError } from '../store/store.ts'
import { toGatewayError } from './errors.ts'

test.each([
  ['full', 503, 'ledger_unavailable'],
  ['locked', 503, 'ledger_unavailable'],
  ['closed', 503, 'shutting_down'],
  ['failed', 500, undefined],
] as const)('a store error "%s" becomes %i', (code, status, errorCode) => {
  const error = toGatewayError(new StoreError(code, 'SQLITE says so'), silentLog)
  expect([error.status, error.body.code]).toEqual([status, errorCode])
  expect(error.body.message).not.toContain('SQLITE')
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
