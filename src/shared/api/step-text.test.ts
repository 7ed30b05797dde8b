import { expect, test } from 'vitest'
import { describeStep, describeUnstored } from './step-text.ts'
import { NO_BUCKETS } from './usage-buckets.ts'

test('a step is named by the tools that it calls, or else by its first words', () => {
  const tools = [
    { name: 'Bash', argument: 'npm test' },
    { name: 'Odd', argument: '' },
  ]
  expect(describeStep({ text: 'I look', tools })).toBe('Bash npm test, Odd')
  expect(describeStep({ text: 'All done.', tools: [] })).toBe('All done.')
})

test('of a step that is not stored, the cached share of its prompt and its end are known', () => {
  const cached = { tokensIn: 1000, usage: { ...NO_BUCKETS, cacheRead: 850 } }
  expect(describeUnstored({ ...cached, finishReason: 'tool_calls' })).toBe('85% cached, tool calls')
  expect(describeUnstored({ ...cached, finishReason: null })).toBe('85% cached')
  expect([
    describeUnstored({ tokensIn: 1000, usage: null, finishReason: 'length' }),
    describeUnstored({ tokensIn: 0, usage: { ...NO_BUCKETS }, finishReason: null }),
  ]).toEqual(['cut at its limit', ''])
})
