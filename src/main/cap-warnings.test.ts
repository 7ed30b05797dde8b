import { describe, expect, test } from 'vitest'
import type { Account } from '../shared/api/account.ts'
import type { KeyMetadata } from '../shared/api/keys.ts'
import { listCapWarnings } from './cap-warnings.ts'
import { limited, sampleAccount, sampleKey } from './testing/samples.ts'

const account: Account = limited(sampleAccount, 100)

function key(name: string, spendUsd: number, spendLimitUsd: number | null, revoked = false): KeyMetadata {
  const row = {
    ...sampleKey,
    id: `key_${name}`,
    name,
    revokedAt: revoked ? '2026-11-02T00:00:00.000Z' : null,
    spendUsd,
    reservedUsd: 100,
  }
  return spendLimitUsd === null ? row : limited(row, spendLimitUsd)
}

describe('tray warnings', () => {
  test('start at 80% of a cap and list the fullest first', () => {
    const keys = [key('Editor', 4, 5), key('Agent', 6, 5), key('Quiet', 3.99, 5)]
    expect(listCapWarnings(limited({ ...sampleAccount, monthSpendUsd: 90 }, 100), keys)).toEqual([
      { label: 'Agent: all of $5.00 spent', href: '/keys?cap=key_Agent&limit=0' },
      {
        label: 'All keys: $10.00 left of $100.00 this month, resets on 1 Dec at 00:00',
        href: '/settings#monthly-limit',
      },
      { label: 'Editor: $1.00 left of $5.00', href: '/keys?cap=key_Editor&limit=0' },
    ])
  })

  test('are about the nearest limit of a key, and about each one of the account', () => {
    const day = {
      ...{ usd: 2, per: 'day' as const, spentUsd: 1.9, reservedUsd: 0 },
      resetsAt: '2026-11-23T00:00:00.000Z',
    } as const
    const editor = limited({ ...key('Editor', 4.1, null), spendLimits: [{ ...day, spentUsd: 1 }, day] }, 5)
    const session = { ...day, per: 'session', action: 'warn', resetsAt: null } as const
    expect(listCapWarnings({ ...account, spendLimits: [{ ...session, tag: 'Website' }] }, [editor])).toEqual([
      {
        label: 'Editor: $0.10 left of $2.00 per day, resets on 23 Nov at 00:00',
        href: '/keys?cap=key_Editor&limit=2',
      },
      {
        label: 'All keys: $0.10 left of $2.00 per session in Website (only warns)',
        href: '/settings#further-limits',
      },
    ])
  })

  test('leave out keys without a cap, with a cap of zero, or revoked', () => {
    const keys = [key('Uncapped', 500, null), key('Paused', 0, 0), key('Revoked', 5, 5, true)]
    expect(listCapWarnings(account, keys)).toEqual([])
    expect(listCapWarnings(sampleAccount, [])).toEqual([])
  })

  test('are at most five lines, the last of which counts the others', () => {
    const keys = Array.from({ length: 7 }, (_, at) => key(`Key ${at}`, 5, 5))
    const lines = listCapWarnings(account, keys).map(({ label }) => label)
    expect(lines).toHaveLength(5)
    expect(lines.at(-1)).toBe('3 more caps are nearly used')
  })
})
