import { expect, test } from 'vitest'
import { getTimers, systemClock } from '../../../gateway/platform/clock.ts'
import { EventHub } from '../../../gateway/platform/events.ts'
import type { Approval } from '../api/approvals.ts'
import { ApprovalAlerts } from './approval-alerts.ts'

function createQuestion(reason: string): Approval {
  return {
    ...{ kind: 'limit', id: reason, waiter: 'wait_1', state: 'open', keyId: 'key_1', keyName: 'Agent' },
    ...{ ofAccount: true, program: null, tag: null, agentId: null },
    ...{ createdAt: '2026-11-22T00:00:00.000Z', expiresAt: '2026-11-22T00:04:00.000Z' },
    limit: { per: 'session', action: 'ask', index: 0 },
    ...{ limitUsd: 3, spentUsd: 3, sessionId: 's', model: null, neededUsd: 1, waiting: 1, reason },
  }
}

test('after a minute, questions that are still open are announced, one a minute', () => {
  const timers = getTimers(systemClock)
  const waits: (() => void)[] = []
  const clock = {
    ...systemClock,
    timers: {
      ...timers,
      setTimeout: (run: () => void, ms: number) => {
        expect(ms).toBe(60_000)
        waits.push(run)
        return timers.setTimeout(() => {}, 0)
      },
    },
  }
  const events = new EventHub()
  const announced: (string | null)[] = []
  events.subscribe((event) => {
    if (event.type === 'approval-alert') announced.push(event.alert.reason)
  })
  const alerts = new ApprovalAlerts({ clock, events })
  alerts.announce('place', () => createQuestion('first'))
  alerts.announce('place', () => null)
  alerts.announce('place', () => createQuestion('of another session'))
  alerts.announce('place', () => createQuestion('of a third session'))
  expect(announced).toEqual(['first'])
  alerts.announce('another', () => createQuestion('of another limit'))
  expect(announced).toEqual(['first', 'of another limit'])
  const passMinute = () => {
    announced.length = 0
    for (const run of waits.splice(0)) run()
    return [...announced]
  }
  expect(passMinute()).toEqual(['of another session'])
  expect(passMinute()).toEqual(['of a third session'])
  expect(passMinute()).toEqual([])
  alerts.announce('place', () => createQuestion('later'))
  expect(announced).toEqual(['later'])
})
