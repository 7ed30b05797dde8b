import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import type { RuleEffect } from '../api/effects.ts'
import type { Rule } from '../api/rules.ts'
import { KeyRules, RuleEffects } from './rule-effects.tsx'

const effect: RuleEffect = {
  ...{
    ruleId: 'rule_1',
    ruleName: 'Step down',
    shadow: false,
    answer: null,
    unable: null,
    savedUsd: 0.02,
    rewriteUsd: 0.005,
  },
  changes: [
    { field: 'model', asked: 'claude-opus-5-5', sent: 'claude-haiku-4-5' },
    { field: 'speed', asked: 'fast', sent: null },
  ],
}

test('a request shows what was changed, what it saved, and why nothing was changed', () => {
  const unable = { ...effect, ruleId: 'rule_2', shadow: true, changes: [], unable: 'It does not fit.' }
  const asked = { ...effect, ruleId: 'rule_3', changes: [], answer: 'allowed' as const }
  const effects = [effect, unable, asked, { ...asked, shadow: true, answer: 'none' as const }]
  renderView(<RuleEffects effects={effects} />, { gateway: new FakeGateway() })
  const [first, second, third, fourth] = screen.getAllByRole('listitem').map(({ textContent }) => textContent)
  expect(first).toBe(
    'Rule “Step down”model: claude-opus-5-5 → claude-haiku-4-5speed: fast → removedSaved $0.02 at the same tokens, and $0.005 of it went into writing the cached prompt again.',
  )
  expect(second).toBe('Would have been changed by “Step down”Went on as requested: It does not fit.')
  expect([third, fourth]).toEqual([
    'Rule “Step down”You allowed it.',
    'Tried rule “Step down”You would have been asked.',
  ])
})

test('a key lists its rules, and a new one is for that key', async () => {
  const none = { requests: 0, asked: 0, savedUsd: 0, rewriteUsd: 0, unpriced: 0 }
  const at = '2026-11-20T12:00:00.000Z'
  const rule: Rule = {
    ...{
      id: 'rule_1',
      name: null,
      sentence: 'Requests with the key CI are refused.',
      at: 'start',
      mode: 'shadow',
    },
    when: [{ kind: 'key', keys: ['key_1'] }],
    do: [{ kind: 'deny' }],
    ...{ createdAt: at, changedAt: at, acted: none, shadowed: none },
  }
  const gateway = new FakeGateway().on('listRules', () => ({
    data: [rule, { ...rule, id: 'other', when: [] }],
  }))
  const { user } = renderView(<KeyRules keyId="key_1" />, { gateway })
  expect((await screen.findByRole('listitem')).textContent).toBe(`${rule.sentence} (only tried)`)
  await user.click(screen.getByRole('button', { name: 'Add rule' }))
  await waitFor(() => screen.getByRole('combobox', { name: 'Kind of Key' }))
})
