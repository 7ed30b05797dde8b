import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Attempt, RequestRecord } from '../../../shared/api/requests.ts'
import { requestRow } from '../../testing/rows.ts'
import { Timeline } from './timeline.tsx'

/** The parts with their times, as they are read. */
function parts(part: Partial<RequestRecord>): string[] {
  const { unmount } = render(<Timeline record={requestRow('a', 1, part)} />)
  const found = screen
    .getAllByRole('term')
    .map((term) => `${term.textContent}: ${term.nextElementSibling?.textContent}`)
  unmount()
  return found
}

const attempt = (startMs: number | undefined, ms: number, error: string | null = 'Overloaded'): Attempt => ({
  ...{ provider: 'openai', model: 'm', status: error === null ? 200 : 503, ms, error },
  ...(startMs === undefined ? {} : { startMs }),
})

test('a request has its queue, the time to the first byte, and its stream', () => {
  const timings = { queueMs: 20, firstByteMs: 300, totalMs: 1_020 }
  const attempts = [attempt(0, 1_000, null)]
  expect(parts({ attempts, timings, stream: true })).toEqual([
    ...['Queued in the gateway: 20 ms', 'Time to first byte: 300 ms', 'Streaming: 700 ms', 'Total: 1.02 s'],
  ])
})

test('a retried request has its attempts and the waits between them', () => {
  const failed = [attempt(0, 3), attempt(603, 0), attempt(1_803, 3)]
  const timings = { queueMs: 0, firstByteMs: null, totalMs: 1_812 }
  const waits = ['Wait before the next attempt: 600 ms', 'Wait before the next attempt: 1.20 s']
  expect(parts({ attempts: failed, timings })).toEqual([
    'Attempt 1, failed: 3 ms',
    waits[0],
    'Attempt 2, failed: <1 ms',
    waits[1],
    ...['Attempt 3, failed: 3 ms', 'Response to the client: 6 ms', 'Total: 1.81 s'],
  ])
  const last = attempt(1_803, 500, null)
  expect(
    parts({
      attempts: [...failed.slice(0, 2), last],
      timings: { queueMs: 0, firstByteMs: 1_903, totalMs: 2_303 },
    }).slice(-4),
  ).toEqual([
    ...[waits[1], 'Attempt 3, time to first byte: 100 ms', 'Reading the response: 400 ms', 'Total: 2.30 s'],
  ])
})

test('where it is not known when the attempts began, their time is not called that of one', () => {
  const attempts = [attempt(undefined, 3), attempt(undefined, 500, null)]
  const timings = { queueMs: 0, firstByteMs: 700, totalMs: 1_100 }
  expect(parts({ attempts, timings })).toEqual([
    ...['Attempts and waits: 700 ms', 'Reading the response: 400 ms', 'Total: 1.10 s'],
  ])
})
