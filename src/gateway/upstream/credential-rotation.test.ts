import { expect, test } from 'vitest'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { CredentialRotation, coolDownAfter } from './circuit-breaker.ts'

const status = (code: number, retryAfterMs: number | null = null) =>
  new UpstreamFailure({ kind: 'status', status: code, message: `status ${code}`, retryAfterMs })

test('a credential cools down for the time of a rate limit, longer when rejected, and not at all after a server error', () => {
  expect(coolDownAfter(status(429, 2_000))).toBe(2_000)
  expect(coolDownAfter(status(429))).toBe(60_000)
  expect(coolDownAfter(status(401))).toBe(600_000)
  expect(coolDownAfter(status(503))).toBeNull()
  expect(coolDownAfter(new UpstreamFailure({ kind: 'timeout', message: 'late' }))).toBeNull()
})

test('rate-limited credentials are used in rounds', () => {
  const rotation = new CredentialRotation([2, 0, 1])
  expect([rotation.current, rotation.advance(status(429)), rotation.current]).toEqual([2, true, 0])
  expect([rotation.advance(status(429)), rotation.current]).toEqual([true, 1])
  expect([rotation.advance(status(429)), rotation.current]).toEqual([false, 2])
})

test('a rejected credential is not used again', () => {
  const rotation = new CredentialRotation([0, 1])
  expect([rotation.advance(status(401)), rotation.current]).toEqual([true, 1])
  expect([rotation.advance(status(429)), rotation.current]).toEqual([false, 1])
})

test('a server error does not change the credential', () => {
  const rotation = new CredentialRotation([0, 1])
  expect([rotation.advance(status(500)), rotation.current]).toEqual([false, 0])
})
