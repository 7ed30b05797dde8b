import { expect, test } from 'vitest'
import type { Approval } from './approvals.ts'
import { describeApproval, listAnswers } from './texts.ts'

test('a limit that asks says who wants more and what for, and offers three answers', () => {
  const approval: Approval = {
    ...{ kind: 'limit', id: 'ask_1', waiter: 'wait_1', state: 'open', keyId: 'key_1', keyName: 'Agent' },
    ...{ ofAccount: false, program: 'Claude Code', tag: 'shop', agentId: null },
    ...{ createdAt: '2026-11-22T00:00:00.000Z', expiresAt: '2026-11-22T00:04:00.000Z' },
    limit: { per: 'session', action: 'ask', index: 0 },
    ...{ limitUsd: 3, spentUsd: 3, sessionId: 's', model: 'gpt-5', neededUsd: 0.5, waiting: 1, reason: null },
  }
  const { title, body } = describeApproval(approval)
  expect(title).toBe('Agent asks to spend more')
  expect(body).toBe(
    '$3.00 of the cap of $3.00 per session is spent. A request from Claude Code in shop to gpt-5 waits. It could cost up to $0.50.',
  )
  const ahead = { ...approval, model: null, reason: 'Your account is locked' }
  expect(describeApproval(ahead).body).toMatch(/^In the agent’s own words: “Your account is locked” /)
  expect(listAnswers(approval)).toEqual([
    { label: 'Allow $2', decision: { decision: 'allow', waiter: 'wait_1', usd: 2 } },
    { label: 'Once', decision: { decision: 'once', waiter: 'wait_1' } },
    { label: 'Stop', decision: { decision: 'stop' } },
  ])
  // No request waits that could go on.
  expect(listAnswers(ahead).map(({ label }) => label)).toEqual(['Allow $2', 'Stop'])
})

test('a rule that asks says its sentence, and for what the answer is', () => {
  const approval: Approval = {
    ...{ kind: 'rule', id: 'ask_1', waiter: 'wait_1', state: 'open', keyId: 'key_1', keyName: 'Agent' },
    ...{ createdAt: '2026-11-22T00:00:00.000Z', expiresAt: '2026-11-22T00:04:00.000Z' },
    rule: { id: 'rule_1', name: 'Dear models', sentence: 'Requests to gpt-5 need permission.' },
    ...{
      program: 'Codex',
      tag: null,
      sessionId: 's',
      agentId: 'a',
      model: 'gpt-5',
      neededUsd: 0.5,
      waiting: 1,
      reason: null,
    },
  }
  expect(describeApproval(approval)).toEqual({
    title: 'Agent asks for permission',
    body: 'Requests to gpt-5 need permission. A request from Codex to gpt-5 waits. It could cost up to $0.50. Your answer is for all requests of its sub-agent.',
  })
  const paid = { ...approval, program: null, agentId: null, neededUsd: 0, waiting: 2 }
  expect(describeApproval(paid).body).toBe(
    'Requests to gpt-5 need permission. 2 requests wait, the first to gpt-5. Your answer is for all requests of its session.',
  )
  expect(listAnswers(approval)).toEqual([
    { label: 'Allow', decision: { decision: 'allow', waiter: 'wait_1' } },
    { label: 'Deny', decision: { decision: 'stop' } },
  ])
})
