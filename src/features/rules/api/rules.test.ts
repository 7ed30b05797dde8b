import { describe, expect, test } from 'vitest'
import { type Condition, holds } from './conditions.ts'
import type { RequestFacts } from './facts.ts'
import { describeRule, RuleInput } from './rules.ts'
import { describeSums } from './texts.ts'

const facts: RequestFacts = {
  ...{
    keyId: 'key_1',
    model: 'claude-opus-5-5',
    providerId: 'anthropic',
    program: 'Claude Code',
    tag: 'shop',
  },
  ...{ caller: 'subagent', effort: 'high', premiums: ['speed'] },
  ...{
    keyPercent: 80,
    accountPercent: 20,
    planPercent: null,
    promptTokens: 5_000,
    minute: 23 * 60,
    weekday: 4,
  },
}

/** A condition of each kind, one that holds for these facts and one that does not, and the words of the first. */
const KINDS: readonly [Condition, Condition, string][] = [
  [
    { kind: 'budget', of: 'any', percent: 80 },
    { kind: 'budget', of: 'account', percent: 21 },
    'When a limit is 80% used, requests are refused.',
  ],
  [
    { kind: 'budget', of: 'key', percent: 79 },
    { kind: 'plan', percent: 1 },
    'When a limit of the key is 79% used, requests are refused.',
  ],
  [
    { kind: 'model', models: ['gpt-*', 'anthropic/*'] },
    { kind: 'model', models: ['claude-opus-5'] },
    'Requests to gpt-* or anthropic/* are refused.',
  ],
  [
    { kind: 'tool', tools: ['claude code'] },
    { kind: 'tool', tools: ['Codex'] },
    'Requests of claude code are refused.',
  ],
  [{ kind: 'caller', is: 'subagent' }, { kind: 'caller', is: 'main' }, 'Sub-agents are refused.'],
  [
    { kind: 'tag', tags: ['shop', 'blog'] },
    { kind: 'tag', tags: ['blog'] },
    'Requests of the project shop or blog are refused.',
  ],
  [
    { kind: 'key', keys: ['key_1'] },
    { kind: 'key', keys: ['key_2'] },
    'Requests with the key <key_1> are refused.',
  ],
  [
    { kind: 'prompt', atLeast: 5_000 },
    { kind: 'prompt', atLeast: 1, atMost: 4_999 },
    'Requests with at least 5,000 tokens of prompt are refused.',
  ],
  [
    { kind: 'effort', atLeast: 'medium' },
    { kind: 'effort', atLeast: 'xhigh' },
    'Requests with an effort of medium or more are refused.',
  ],
  [
    { kind: 'premium', any: ['tier', 'speed'] },
    { kind: 'premium', any: ['cache'] },
    'Requests that ask for a premium tier or fast speed are refused.',
  ],
  [
    { kind: 'time', from: '22:00', to: '06:00', days: [4] },
    { kind: 'time', from: '09:00', to: '23:00' },
    'When it is 22:00 to 06:00 on Friday, requests are refused.',
  ],
]

test.each(KINDS)('%o holds, and %o does not', (holding, other, sentence) => {
  expect([holds(holding, facts), holds(other, facts)]).toEqual([true, false])
  const names = { key: (id: string) => `<${id}>` }
  expect(describeRule({ when: [holding], do: [{ kind: 'deny' }], at: 'start' }, names)).toBe(sentence)
})

test('after midnight, it is still the night of the day before', () => {
  const night: Condition = { kind: 'time', from: '22:00', to: '06:00', days: [4] }
  expect(holds(night, { ...facts, minute: 60, weekday: 5 })).toBe(true)
  expect(holds(night, { ...facts, minute: 60, weekday: 4 })).toBe(false)
  expect(holds(night, { ...facts, minute: 360, weekday: 5 })).toBe(false)
})

test('what is not known does not hold', () => {
  const unknown = { ...facts, keyId: null, tag: null, effort: null, premiums: null, keyPercent: null }
  const conditions: Condition[] = [
    { kind: 'key', keys: ['key_1'] },
    { kind: 'tag', tags: ['shop'] },
    { kind: 'effort', atLeast: 'none' },
    { kind: 'premium', any: ['speed'] },
    { kind: 'budget', of: 'key', percent: 1 },
  ]
  expect(conditions.map((condition) => holds(condition, unknown))).toEqual(conditions.map(() => false))
})

test('a rule is one sentence', () => {
  const rule = RuleInput.parse({
    when: [
      { kind: 'caller', is: 'subagent' },
      { kind: 'budget', of: 'account', percent: 80 },
      { kind: 'tool', tools: ['Claude Code'] },
    ],
    do: [
      { kind: 'model', model: 'claude-haiku-5-5' },
      { kind: 'effort', atMost: 'low' },
      { kind: 'thinking', atMost: 4_000 },
      { kind: 'remove', what: ['tier', 'speed', 'cache'] },
    ],
    at: 'any',
  })
  expect(describeRule(rule, { key: (id) => id })).toBe(
    'When a limit of the account is 80% used, sub-agents of Claude Code use claude-haiku-5-5, reason with an effort of at most low, think with at most 4,000 tokens and go without a premium tier, fast speed and one-hour cache writes, also within a session.',
  )
})

test('a rule that asks says how often it did, or would have', () => {
  const none = { requests: 0, asked: 0, savedUsd: 0, rewriteUsd: 0, unpriced: 0 }
  const asked = { ...none, asked: 12, requests: 1 }
  expect(describeSums({ mode: 'on', acted: asked, shadowed: none })).toBe(
    'Asked 12 times in 30 days and refused 1 request.',
  )
  expect(describeSums({ mode: 'shadow', acted: none, shadowed: { ...none, asked: 1 } })).toBe(
    'Would have asked once in 30 days.',
  )
})

describe('a rule is refused that', () => {
  test.each([
    ['does nothing', { do: [] }],
    [
      'has a kind twice',
      {
        do: [{ kind: 'deny' }],
        when: [
          { kind: 'plan', percent: 1 },
          { kind: 'plan', percent: 2 },
        ],
      },
    ],
    ['denies what it changes', { do: [{ kind: 'deny' }, { kind: 'effort', atMost: 'low' }] }],
    ['asks about what it changes', { do: [{ kind: 'effort', atMost: 'low' }, { kind: 'ask' }] }],
    [
      'acts where the limit stops by itself',
      { do: [{ kind: 'deny' }], when: [{ kind: 'budget', of: 'any', percent: 100 }] },
    ],
    ['limits nothing of the prompt', { do: [{ kind: 'deny' }], when: [{ kind: 'prompt' }] }],
    ['is of another kind', { do: [{ kind: 'deny' }], when: [{ kind: 'weather' }] }],
  ])('%s', (_, input) => {
    expect(RuleInput.safeParse(input).success).toBe(false)
  })
})
