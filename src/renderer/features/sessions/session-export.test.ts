import { expect, test } from 'vitest'
import { requestRow, sessionRow } from '../../testing/rows.ts'
import { createSessionPicture } from './session-export.tsx'
import { layoutSteps } from './steps.tsx'

test('a session grows step by step to its whole cost', () => {
  const records = [
    requestRow('req_1', 1, { createdAt: '2026-11-22T12:00:00.000Z', costUsd: 1, model: 'opus' }),
    requestRow('req_2', 2, { createdAt: '2026-11-22T12:00:10.000Z', costUsd: 3, model: 'haiku' }),
  ]
  const session = sessionRow('s', { costUsd: 4, requests: 2 })
  const { figures, chart, rows } = createSessionPicture(session, layoutSteps(records, Date.now()), {
    now: Date.parse('2026-11-22T13:00:00Z'),
    zone: 'UTC',
  })
  expect(figures.slice(0, 2)).toEqual([
    { label: 'Cost', value: '$4.00' },
    { label: 'Requests', value: '2' },
  ])
  if (chart.kind !== 'line') throw new Error('A session is a line.')
  expect(chart.points.map(({ y }) => y)).toEqual([0, 0.25, 1])
  expect(chart.top).toBe('$4')
  expect(rows.map(({ name, value }) => [name, value])).toEqual([
    ['haiku', '$3.00'],
    ['opus', '$1.00'],
  ])
})
