import { expect, test } from 'vitest'
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { PastLimits, type PastSpend } from './past-limits.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 10, 12, 12)
const usd = (amount: number) => amount * 1e9

const spend = (hours: number, amount: number, more: Partial<PastSpend> = {}): PastSpend => ({
  ...{ createdAt: NOON + hours * HOUR, settledAt: NOON + hours * HOUR + 1_000, nano: usd(amount) },
  ...{ keyId: 'key_1', model: 'm', provider: 'p', tag: null, session: 's', agent: '' },
  ...more,
})

/** How much is used under a limit of the key, in percent, when each of the requests comes, and at the end. */
function readKey(limit: AccountSpendLimit, spends: readonly PastSpend[], last: PastSpend): (number | null)[] {
  const key = { id: 'key_1', spendLimits: [limit] } as unknown as KeyState
  const sums = [
    { keyId: 'key_1', model: 'm', provider: 'p', tag: '', nano: usd(2) },
    { keyId: 'key_2', model: 'm', provider: 'p', tag: '', nano: usd(4) },
  ]
  const limits = new PastLimits({ keys: [key], accountLimits: [] }, 'UTC', sums)
  const shares = [...spends, last].map((each) => {
    const { keyPercent } = limits.read(each.createdAt, each)
    limits.add(each)
    return keyPercent
  })
  return shares
}

test.each<[string, AccountSpendLimit, (number | null)[]]>([
  ['of a day begins at midnight', { usd: 10, per: 'day' }, [0, 10, 0]],
  ['of a month goes on', { usd: 10, per: 'month' }, [0, 10, 40]],
  ['that rolls leaves after its time', { usd: 10, per: 'day', window: 'rolling' }, [0, 10, 30]],
  ['for a lifetime counts what was spent before', { usd: 10, per: 'lifetime' }, [20, 30, 60]],
  ['of a session counts its own spend', { usd: 10, per: 'session' }, [0, 10, 40]],
  ['of a sub-agent is none of the main agent', { usd: 10, per: 'subagent' }, [null, null, null]],
])('a limit %s', (_, limit, shares) => {
  expect(readKey(limit, [spend(0, 1), spend(2, 3)], spend(25, 0))).toEqual(shares)
})

test('a charge counts once it is settled, and only under the limits that select it', () => {
  const accountLimits: AccountSpendLimit[] = [{ usd: 10, per: 'month', model: 'm*' }]
  const limits = new PastLimits({ keys: [], accountLimits }, 'UTC', [])
  const first = spend(0, 5)
  limits.add(first)
  limits.add(spend(0, 5, { model: 'other' }))
  expect(limits.read(first.settledAt - 1, first)).toEqual({ keyPercent: null, accountPercent: 0 })
  expect(limits.read(first.settledAt, first)).toEqual({ keyPercent: null, accountPercent: 50 })
  expect(limits.read(first.settledAt, spend(1, 0, { model: 'other' }))).toMatchObject({
    accountPercent: null,
  })
})
