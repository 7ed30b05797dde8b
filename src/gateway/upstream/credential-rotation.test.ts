import { expect, test } from 'vitest'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { restAfter, Turns } from './credential-rotation.ts'

const status = (code: number, retryAfterMs: number | null = null) =>
  new UpstreamFailure({ kind: 'status', status: code, message: `status ${code}`, retryAfterMs })

test('a limit rests a credential as long as the provider says, a refusal for longer, a fault not at all', () => {
  expect(restAfter(status(429, 2_000))).toBe(2_000)
  expect(restAfter(status(429))).toBe(60_000)
  expect(restAfter(status(401))).toBe(600_000)
  expect(restAfter(status(503))).toBeNull()
  expect(restAfter(new UpstreamFailure({ kind: 'timeout', message: 'late' }))).toBeNull()
})

test('limited credentials take turns in rounds', () => {
  const turns = new Turns([2, 0, 1])
  expect([turns.current, turns.pass(status(429)), turns.current]).toEqual([2, true, 0])
  expect([turns.pass(status(429)), turns.current]).toEqual([true, 1])
  expect([turns.pass(status(429)), turns.current]).toEqual([false, 2])
})

test('a refused credential is not asked again', () => {
  const turns = new Turns([0, 1])
  expect([turns.pass(status(401)), turns.current]).toEqual([true, 1])
  expect([turns.pass(status(429)), turns.current]).toEqual([false, 1])
})

test('a fault of the provider is no reason to take another credential', () => {
  const turns = new Turns([0, 1])
  expect([turns.pass(status(500)), turns.current]).toEqual([false, 0])
})
