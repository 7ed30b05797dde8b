import { expect, test } from 'vitest'
import type { Approval } from './approvals.ts'
import { describeApproval, listAnswers } from './texts.ts'

test('a limit that asks says who wants more and what for, and offers three answers', () => {
  const approval: Approval = {
    ...{ id: 'ask_1', waiter: 'wait_1', state: 'open', keyId: 'key_1', keyName: 'Agent', ofAccount: false },
    ...{ createdAt: '2026-11-22T00:00:00.000Z', expiresAt: '2026-11-22T00:04:00.000Z' },
    limit: { per: 'session', action: 'ask', index: 0 },
    ...{ limitUsd: 3, spentUsd: 3, sessionId: 's', model: 'gpt-5', neededUsd: 0.5, waiting: 1, reason: null },
  }
  const { title, body } = describeApproval(approval)
  expect(title).toBe('Agent asks to spend more')
  expect(body).toBe(
    '$3.00 of the cap of $3.00 per session is spent. A request to gpt-5 waits. It could cost up to $0.50.',
  )
  const ahead = { ...approval, model: null, reason: 'Your account is locked' }
  expect(describeApproval(ahead).body).toMatch(/^In the agent’s own words: “Your account is locked” /)
  const call = (decision: object) => [{ method: 'POST', path: '/v1/approvals/ask_1', body: decision }]
  expect(listAnswers(approval)).toEqual([
    { label: 'Allow $2', calls: call({ decision: 'allow', waiter: 'wait_1', usd: 2 }) },
    { label: 'Once', calls: call({ decision: 'once', waiter: 'wait_1' }) },
    { label: 'Stop', calls: call({ decision: 'stop' }) },
  ])
})
