import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import { settings } from '../../../renderer/testing/rows.ts'
import type { PlanState } from '../../../shared/api/plans.ts'
import { PlansCard } from './plans-card.tsx'

const plan: PlanState = {
  id: 'claude-plan-1',
  provider: 'claude-plan',
  name: 'Claude plan',
  status: 'allowed',
  windows: [
    {
      name: '5h',
      label: '5 hours',
      utilization: 0.42,
      status: null,
      resetsAt: '2026-11-21T16:40:00.000Z',
      lengthMs: 18_000_000,
      fullAt: null,
    },
    {
      name: '7d_opus',
      label: 'a week of Opus',
      utilization: null,
      status: null,
      resetsAt: null,
      lengthMs: null,
      fullAt: null,
    },
  ],
  extraUsage: null,
  isExtra: false,
  refusedUntil: null,
  updatedAt: '2026-11-21T12:00:00.000Z',
}

test('each window has its share, its reset and its history, and an unknown one is not zero', async () => {
  const at = new Date().toISOString()
  const points = [0.1, 0.42].map((utilization) => ({ window: '5h', at, utilization }))
  const gateway = new FakeGateway()
    .on('listPlanStates', () => ({ data: [plan] }))
    .on('getPlanHistory', () => ({ data: points }))
  renderView(<PlansCard />, { gateway })
  const card = within(await screen.findByRole('region', { name: 'Claude plan' }))
  const [hours, week] = card.getAllByRole('meter')
  expect([hours?.getAttribute('aria-valuetext'), week?.getAttribute('aria-valuetext')]).toEqual([
    '42%',
    'unknown',
  ])
  expect(card.getByText(/^resets /)).toBeDefined()
  expect(card.getByText('Reset time unknown')).toBeDefined()
  expect(card.getByText('Extra usage: unknown')).toBeDefined()
  expect(
    await card.findByRole('img', { name: '5 hours of Claude plan in the last seven days: at most 42%' }),
  ).toBeDefined()
})

test('what used the windows is read when it is opened, by session, project or key', async () => {
  const window = { window: '5h', worthUsd: 1.32, share: 0.3 }
  const gateway = new FakeGateway()
    .on('listPlanStates', () => ({ data: [plan] }))
    .on('getPlanHistory', () => ({ data: [] }))
    .on('getPlanShares', ({ query }) => ({
      data: [
        { group: query.by === 'tag' ? 'shop' : 'ses_1', label: 'Tidy up', windows: [window] },
        { group: '', label: '', windows: [{ ...window, share: null }] },
      ],
    }))
  const { user } = renderView(<PlansCard />, { gateway })
  const summary = await screen.findByText('Usage by session, project and key')
  expect(gateway.listCalls('getPlanShares')).toEqual([])
  await user.click(summary)
  const table = within(await screen.findByRole('table', { name: 'Usage of Claude plan' }))
  expect(table.getByRole('link', { name: 'Tidy up' }).getAttribute('href')).toBe('/sessions/ses_1')
  expect([table.getByText('30%').title, table.getByText('unknown').title]).toEqual([
    'worth $1.32',
    'worth $1.32',
  ])
  // No request has used the other window.
  expect(table.queryByText(/Opus/)).toBeNull()
  await user.click(screen.getByRole('radio', { name: 'Project' }))
  expect(await screen.findByText('No project')).toBeDefined()
})

test('a plan that is used up says until when, and what pays for new sessions', async () => {
  const refusedUntil = '2026-11-21T16:40:00.000Z'
  const gateway = new FakeGateway()
    .on('listPlanStates', () => ({ data: [{ ...plan, refusedUntil }] }))
    .on('getPlanHistory', () => ({ data: [] }))
    .on('getSettings', () => ({ ...settings, planOverflow: true }))
  renderView(<PlansCard />, { gateway })
  expect(await screen.findByText(/^used up until /)).toBeDefined()
  expect(await screen.findByText('New sessions are billed by API key')).toBeDefined()
})

test('without a plan there is no card', async () => {
  const gateway = new FakeGateway().on('listPlanStates', () => ({ data: [] }))
  renderView(<PlansCard />, { gateway })
  await expect.poll(() => gateway.listCalls('listPlanStates').length).toBe(1)
  expect(screen.queryByText('Plans')).toBeNull()
})
