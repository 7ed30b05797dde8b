import { expect, it } from 'vitest'
import { findSimilarId } from './similar-id.ts'

const ids = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-5-5', 'sandbox-small', 'meta-llama/llama-4-70b']

it.each([
  ['gpt4o', 'gpt-4o'],
  ['GPT-4o-Mini', 'gpt-4o-mini'],
  ['claude-sonet-5.5', 'claude-sonnet-5-5'],
  ['sandbox-smal', 'sandbox-small'],
  ['meta-llama/llama-4-7b', 'meta-llama/llama-4-70b'],
])('%s probably means %s', (wanted, id) => {
  expect(findSimilarId(wanted, ids)).toBe(id)
})

it.each(['o3', 'mistral-large', 'constructor', '', '-', 'x'.repeat(5000)])(
  '%s means none of them',
  (wanted) => {
    expect(findSimilarId(wanted, ids)).toBeNull()
  },
)

it('prefers the one with the fewest differences', () => {
  expect(findSimilarId('gpt-5.5', ['gpt-4o', 'gpt-5.4', 'gpt-5.5-mini'])).toBe('gpt-5.4')
})
