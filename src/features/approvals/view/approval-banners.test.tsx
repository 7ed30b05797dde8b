import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeError, FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import type { Approval } from '../api/approvals.ts'
import { ApprovalBanners } from './approval-banners.tsx'

const common = {
  state: 'open' as const,
  ...{ id: 'ask_1', waiter: 'wait_1', keyId: 'key_1', keyName: 'Agent' },
  createdAt: new Date().toISOString(),
  expiresAt: new Date(Date.now() + 230_000).toISOString(),
  ...{
    program: null,
    tag: null,
    sessionId: null,
    agentId: null,
    model: 'gpt-5',
    neededUsd: 0.31,
    waiting: 2,
  },
  reason: null,
}

const approval: Approval = {
  ...common,
  kind: 'limit',
  limit: { per: 'day', action: 'ask', index: 0 },
  ...{ ofAccount: false, limitUsd: 5, spentUsd: 5.02 },
}

function renderBanners(open: Approval) {
  let data = [open]
  const gateway = new FakeGateway()
    .on('listApprovals', () => ({ data }))
    .on('decideApproval', () => {
      data = []
      return { ...open, state: 'allowed' as const }
    })
  return renderView(<ApprovalBanners />, { gateway })
}

test.each([
  ['Allow $2', { decision: 'allow', waiter: 'wait_1', usd: 2 }],
  ['Once', { decision: 'once', waiter: 'wait_1' }],
  ['Stop', { decision: 'stop' }],
])('a limit that asks is answered by “%s”', async (name, body) => {
  const { gateway, user } = renderBanners(approval)
  const alert = await screen.findByRole('alert')
  expect(alert.textContent).toBe(
    'Agent asks to spend more. $5.02 of the daily cap of $5.00 is spent. 2 requests wait, the first to gpt-5. It could cost up to $0.31.',
  )
  expect(screen.getByText('The last of them is refused in 4 min.')).toBeDefined()
  await user.click(screen.getByRole('button', { name }))
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  expect(gateway.listCalls('decideApproval')).toMatchObject([{ id: 'ask_1', body }])
})

test.each([
  ['Allow', { decision: 'allow', waiter: 'wait_1' }],
  ['Deny', { decision: 'stop' }],
])('a rule that asks is answered by “%s”, without an amount', async (name, body) => {
  const { gateway, user } = renderBanners({
    ...common,
    kind: 'rule',
    rule: { id: 'rule_1', name: 'Dear models', sentence: 'Requests to gpt-5 need permission.' },
    ...{ sessionId: 'ses_2120d84cd4d71cee', program: 'Codex', waiting: 1 },
  })
  expect((await screen.findByRole('alert')).textContent).toMatch(
    /^Agent asks for permission\. Requests to gpt-5 need permission\. A request from Codex to gpt-5 waits\./,
  )
  screen.getByText('It is refused in 4 min. Session 2120d84c.')
  expect(screen.queryByRole('button', { name: 'Allow another amount' })).toBeNull()
  await user.click(screen.getByRole('button', { name }))
  await waitFor(() => expect(gateway.listCalls('decideApproval')).toMatchObject([{ id: 'ask_1', body }]))
  expect(gateway.listCalls('decideApproval')[0]?.body).toEqual(body)
})

test('an agent that asks ahead says why, and gets another amount', async () => {
  const { gateway, user } = renderBanners({
    ...approval,
    model: null,
    neededUsd: 8,
    reason: 'Two tests fail',
  })
  expect((await screen.findByRole('alert')).textContent).toMatch(
    /^Agent asks for \$8\.00\. In the agent’s own words: “Two tests fail” /,
  )
  expect(screen.queryByRole('button', { name: 'Once' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Allow another amount' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Allow $10' }))
  await waitFor(() =>
    expect(gateway.listCalls('decideApproval')).toMatchObject([{ body: { decision: 'allow', usd: 10 } }]),
  )
})

test('an answer to a request that has left does not count, and shows the one that waits now', async () => {
  let shown = approval
  const gateway = new FakeGateway()
    .on('listApprovals', () => ({ data: [shown] }))
    .on('decideApproval', () => {
      shown = { ...approval, waiter: 'wait_2', model: 'claude-opus-5', neededUsd: 1.5, waiting: 1 }
      throw new FakeError(409, 'It has left.', 'invalid_request_error', 'waiter', 'waiter_left')
    })
  const { user } = renderView(<ApprovalBanners />, { gateway })
  await user.click(await screen.findByRole('button', { name: 'Once' }))
  const alert = await screen.findByText(/A request to claude-opus-5 waits\. It could cost up to \$1\.50\.$/)
  expect(alert.textContent).toMatch(
    /Your answer did not count, because the request that was shown has left\./,
  )
  await user.click(screen.getByRole('button', { name: 'Once' }))
  await waitFor(() =>
    expect(gateway.listCalls('decideApproval').at(-1)).toMatchObject({ body: { waiter: 'wait_2' } }),
  )
})
