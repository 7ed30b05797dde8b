import { describe, expect, test } from 'vitest'
import type { CapAlert } from '../api/events.ts'
import { formatCapAlert } from './alerts.ts'

const alert: CapAlert = {
  ...{ keyId: 'key_1', name: 'Editor', percent: 80, spentUsd: 4.01, limitUsd: 5 },
  limit: { per: 'lifetime', index: 0 },
}

describe('a notification', () => {
  test('names the key, the spend and the amount left, and opens the cap', () => {
    expect(formatCapAlert(alert)).toEqual({
      title: 'Editor has used 80% of its lifetime cap of $5.00',
      body: '$4.01 of $5.00 spent, $0.99 left.',
      href: '/keys?cap=key_1&limit=0',
    })
  })

  test('says that requests are rejected once the cap is reached, for any threshold', () => {
    const full = {
      title: 'Editor has reached its lifetime cap of $5.00',
      body: '$5.20 of $5.00 spent. Requests are rejected until the limit is raised.',
      href: '/keys?cap=key_1&limit=0',
    }
    expect(formatCapAlert({ ...alert, percent: 100, spentUsd: 5.2 })).toEqual(full)
    expect(formatCapAlert({ ...alert, percent: 50, spentUsd: 5.2 })).toEqual(full)
  })

  test('names the monthly limit of all keys, and opens that limit', () => {
    const limit = { per: 'month' as const, index: 0 }
    const month = { ...alert, keyId: null, name: 'All keys', limit }
    expect(formatCapAlert(month)).toEqual({
      title: '80% of the monthly limit of $5.00 is used',
      body: '$4.01 of $5.00 spent, $0.99 left.',
      href: '/settings#monthly-limit',
    })
    expect(formatCapAlert({ ...month, spentUsd: 5 })).toMatchObject({
      title: 'The monthly limit of $5.00 is reached',
      body: '$5.00 of $5.00 spent. Requests are rejected until the month is over, or the limit is raised.',
    })
  })
})
