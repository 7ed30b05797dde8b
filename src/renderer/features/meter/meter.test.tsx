import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { account, keyRow } from '../../testing/rows.ts'
import { computeRates, createRuns, describeRemainder, Meter } from './meter.tsx'

const NOW = Date.parse('2026-11-22T12:00:00Z')

function runningRequest(keyId: string, costUsd: number | null, provider = 'anthropic') {
  return {
    ...{
      id: `req_${keyId}_${costUsd}`,
      keyId,
      keyName: keyId,
      requestedModel: 'model',
      model: 'model',
      provider,
    },
    ...{ createdAt: '2026-11-22T11:59:00.000Z', elapsedMs: 60_000, tokensIn: 10, tokensOut: 5 },
    ...{ costUsd, reservedUsd: 0.1 },
  }
}

test('the spend of today grows with what the running requests have cost so far', async () => {
  const gateway = new FakeGateway()
    .on('getAccount', () => ({ ...account, todaySpendUsd: 0.75 }))
    .on('listKeys', () => ({
      data: [keyRow('agent', { name: 'Claude Code', spendLimitUsd: 5, spendUsd: 4 })],
    }))
    .on('listRunningRequests', () => ({
      data: [runningRequest('agent', 0.25), runningRequest('agent', 9, 'sandbox')],
      todaySpendUsd: 1,
    }))
    .on('pauseKey', () => keyRow('agent', { name: 'Claude Code', pausedAt: new Date().toISOString() }))
  const { user } = renderView(<Meter />, { gateway, path: '/meter' })
  await waitFor(() =>
    expect(screen.getByRole('region', { name: 'Spent today' }).textContent).toContain('$1.25'),
  )
  const run = within(await screen.findByRole('list', { name: 'Runs' }))
  expect(run.getByText(/^2 running/)).toBeDefined()
  await user.click(run.getByRole('button', { name: 'Stop Claude Code' }))
  expect(gateway.listCalls('pauseKey').map(({ body }) => body)).toEqual([{ running: 'end' }])
  expect(await run.findByRole('button', { name: 'Resume Claude Code' })).toBeDefined()
})

test('a key that was paused a while ago, or does not run, is not listed', () => {
  const keys = [
    keyRow('idle'),
    keyRow('cheap'),
    keyRow('dear'),
    keyRow('stopped', { pausedAt: '2026-11-22T11:55:00.000Z' }),
    keyRow('old', { pausedAt: '2026-11-21T12:00:00.000Z' }),
  ]
  const runs = createRuns(keys, [runningRequest('cheap', 0.1), runningRequest('dear', 3)], NOW)
  expect(runs.map(({ key, costUsd }) => [key.id, costUsd])).toEqual([
    ['dear', 3],
    ['cheap', 0.1],
    ['stopped', 0],
  ])
})

test('the rate is that of the last minute, from all requests of the key', () => {
  const samples = new Map()
  const at = (seconds: number, spendUsd: number, costUsd: number) =>
    computeRates(
      samples,
      createRuns([keyRow('a', { spendUsd })], [runningRequest('a', costUsd)], NOW),
      NOW + seconds * 1_000,
    ).get('a')
  expect(at(0, 1, 0)).toBeUndefined()
  expect(at(1, 1, 0.1)).toBeUndefined()
  expect(at(30, 2, 0.5)).toBeCloseTo(3)
  // Only what was spent since the second of these counts.
  expect(at(61, 2, 0.5)).toBeCloseTo(1.4)
})

test('a limit that is near is described by the time until it is reached', () => {
  const [run] = createRuns([keyRow('a', { spendLimitUsd: 5, spendUsd: 4 })], [runningRequest('a', 0.1)], NOW)
  if (!run) throw new Error('The key runs.')
  expect(describeRemainder(run, null)).toBe('$0.90 left')
  expect(describeRemainder(run, 0.1)).toBe('limit in 9 min')
  expect(describeRemainder(run, 5)).toBe('limit in under a minute')
  expect(describeRemainder(run, 0.0001)).toBe('$0.90 left')
  expect(describeRemainder({ ...run, key: keyRow('b') }, 1)).toBeNull()
})
