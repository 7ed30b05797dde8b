import { expect, test } from 'vitest'
import { requestRow } from '../../testing/rows.ts'
import { findRepeats, layoutSteps, sumByModel } from './steps.tsx'

const timed = (totalMs: number) => ({ queueMs: 0, firstByteMs: 1, totalMs })

test('steps are placed by their time, and their costs add up', () => {
  const records = [
    requestRow('a', 0, { timings: timed(4000), costUsd: 0.25 }),
    requestRow('b', 2, { timings: timed(2000), costUsd: null }),
    requestRow('c', 6, { timings: timed(4000), costUsd: 0.5 }),
  ]
  const steps = layoutSteps(records, 0)
  expect(steps.map(({ from, to }) => [from, to])).toEqual([
    [0, 0.4],
    [0.2, 0.4],
    [0.6, 1],
  ])
  expect(steps.map(({ totalUsd }) => totalUsd)).toEqual([0.25, 0.25, 0.75])
  expect(steps.map(({ offsetMs }) => offsetMs)).toEqual([0, 2000, 6000])
})

test('a long pause takes little of the axis, and is named before the step after it', () => {
  const records = [
    requestRow('a', 0, { timings: timed(10_000) }),
    requestRow('b', 1810, { timings: timed(10_000) }),
  ]
  const [first, second] = layoutSteps(records, 0)
  expect(first?.pauseMs).toBe(0)
  expect(second?.pauseMs).toBe(1_800_000)
  expect(first?.to).toBeGreaterThan(0.45)
  expect(second?.from).toBeLessThan(0.55)
  expect(second?.from).toBeGreaterThan(first?.to ?? 1)
  expect(second?.to).toBeCloseTo(1)
})

test('a running step lasts until now', () => {
  const running = requestRow('a', 0, {
    status: 'running',
    timings: { queueMs: null, firstByteMs: null, totalMs: null },
  })
  expect(layoutSteps([running], Date.parse(running.createdAt) + 5000)).toMatchObject([
    { durationMs: 5000, from: 0, to: 1 },
  ])
  expect(layoutSteps([], 0)).toEqual([])
})

test('what each model cost: the most expensive first, without calls that were never sent', () => {
  const records = [
    requestRow('a', 0, { model: 'small', costUsd: 0.1 }),
    requestRow('b', 1, { model: 'large', costUsd: 0.4 }),
    requestRow('c', 2, { model: 'small', costUsd: 0.2 }),
    requestRow('d', 3, { model: null, requestedModel: 'large', status: 'refused', costUsd: null }),
  ]
  expect(sumByModel(records).map(({ model, requests }) => [model, requests])).toEqual([
    ['large', 1],
    ['small', 2],
  ])
})

test('a step that calls the same tools as the one before it is a repeat', () => {
  const steps = layoutSteps(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((id, second) => requestRow(id, second)),
    0,
  )
  const call = (requestId: string, name: string, argument: string) => ({
    requestId,
    text: '',
    tools: [{ name, argument }],
  })
  const done = new Map(
    [
      call('a', 'Bash', 'npm test'),
      call('b', 'Bash', 'npm test'),
      call('c', 'Bash', 'npm test'),
      call('d', 'Edit', 'checkout.ts'),
      // After an edit, the same test says something new.
      call('e', 'Bash', 'npm test'),
      { requestId: 'f', text: 'Done.', tools: [] },
    ].map((one) => [one.requestId, one]),
  )
  const repeats = findRepeats(steps, done)
  expect([...repeats].map(([id, first]) => [id, first.record.id])).toEqual([
    ['b', 'a'],
    ['c', 'a'],
  ])
  expect(findRepeats(steps, undefined).size).toBe(0)
})
