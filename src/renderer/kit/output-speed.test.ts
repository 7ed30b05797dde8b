import { expect, it } from 'vitest'
import { requestRow } from '../testing/rows.ts'
import { tokensPerSecond } from './output-speed.ts'

const timings = { queueMs: 100, firstByteMs: 400, totalMs: 1500 }

it('counts from the first byte of a stream, and otherwise from the call', () => {
  expect(tokensPerSecond(requestRow('a', 1, { tokensOut: 200, stream: true, timings }))).toBe(200)
  expect(tokensPerSecond(requestRow('a', 1, { tokensOut: 280, timings }))).toBe(200)
})

it('has no rate without tokens, without a time, and while it runs', () => {
  expect(tokensPerSecond(requestRow('a', 1, { tokensOut: 0, timings }))).toBeNull()
  expect(
    tokensPerSecond(requestRow('a', 1, { tokensOut: 9, timings: { ...timings, totalMs: null } })),
  ).toBeNull()
  expect(
    tokensPerSecond(requestRow('a', 1, { tokensOut: 9, timings: { ...timings, totalMs: 100 } })),
  ).toBeNull()
  expect(tokensPerSecond(requestRow('a', 1, { tokensOut: 9, status: 'running', timings }))).toBeNull()
})
