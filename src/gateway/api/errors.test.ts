import { expect, test } from 'vitest'
import { ClientDisconnected } from '../inference/in-flight.ts'
import type { Log } from '../platform/log.ts'
import { StoreError } from '../store/store.ts'
import { toGatewayError } from './errors.ts'

function recordingLog(): Log & { lines: string[] } {
  const lines: string[] = []
  const add = (line: string) => void lines.push(line)
  return { lines, info: add, warn: add, error: add }
}

test.each([
  ['full', 503, 'ledger_unavailable'],
  ['locked', 503, 'ledger_unavailable'],
  ['closed', 503, 'shutting_down'],
  ['failed', 500, undefined],
] as const)('a store that is %s is %i', (code, status, told) => {
  const error = toGatewayError(new StoreError(code, 'SQLITE says so'), recordingLog())
  expect([error.status, error.body.code]).toEqual([status, told])
  expect(error.body.message).not.toContain('SQLITE')
})

test('a client that left is no fault, and what nobody knows is: with its stack in the log alone', () => {
  const log = recordingLog()
  toGatewayError(new ClientDisconnected(), log)
  expect(log.lines).toEqual([])
  const told = toGatewayError(new Error('secret detail'), log)
  expect(told).toMatchObject({ status: 500, body: { type: 'server_error' } })
  expect(told.body.message).not.toContain('secret')
  expect(log.lines.join()).toContain('secret detail')
})
