import { expect, test } from 'vitest'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { addDraft, findMistakes, parseDrafts, toDrafts } from './limit-draft.ts'

const limits: AccountSpendLimit[] = [
  { usd: 3, per: 'session' },
  { usd: 0.5, per: 'week', window: 'rolling', model: 'claude-*', action: 'warn' },
  { usd: 20, per: 'lifetime', tag: 'website' },
]

test('limits are the same after they were edited without a change', () => {
  expect(parseDrafts(toDrafts(limits))).toEqual(limits)
})

test('a limit without an amount, and a second one of the same kind, are mistakes', () => {
  const drafts = addDraft(toDrafts(limits))
  expect(drafts.at(-1)).toMatchObject({ usd: '', period: 'day' })
  expect(findMistakes(drafts)).toEqual([null, null, null, 'Enter an amount in USD, or remove this limit.'])
  const again = drafts.map((draft) => ({ ...draft, usd: '4', period: 'day', model: '', tag: '' }))
  expect(findMistakes(again).map((mistake) => mistake !== null)).toEqual([false, true, true, true])
  expect(parseDrafts(again)).toBeNull()
})
