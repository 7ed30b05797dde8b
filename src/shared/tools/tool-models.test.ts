import { expect, it } from 'vitest'
import { describeModels } from './tool-models.ts'

const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
const model = (id: string, part: object = {}) => ({
  id,
  provider: 'p',
  pricing,
  capabilities: ['tools' as const],
  contextWindow: 200_000,
  maxOutputTokens: 32_000,
  ...part,
})
const catalog = [
  'claude-3-haiku-20240307',
  'claude-haiku-4-5',
  'claude-opus-5-5',
  'claude-sonnet-4-20250514',
  'claude-sonnet-4-5',
  'claude-sonnet-5',
  'gemini-2.5-flash',
  'gemini-2.5-pro',
  'gemini-3.1-pro-preview',
  'gpt-4o',
  'gpt-5.5',
  'gpt-5.5-codex',
  'gpt-5.5-nano',
  'gpt-5.5-pro',
  'qwen3-coder-plus',
].map((id) => model(id))

it.each([
  ['claude-code', 'claude-sonnet-5', 'claude-haiku-4-5'],
  ['codex', 'gpt-5.5-codex', 'gpt-5.5-codex'],
  ['gemini', 'gemini-3.1-pro-preview', 'gemini-3.1-pro-preview'],
  ['qwen', 'qwen3-coder-plus', 'qwen3-coder-plus'],
])('%s gets a model of the user that suits it', (tool, expected, small) => {
  expect(describeModels(catalog, tool, null)).toEqual({
    model: expected,
    smallModel: small,
    searches: false,
    limits: { context: 200_000, output: 32_000 },
  })
})

it('a vendor’s name before the id does not matter', () => {
  const models = [model('openai/gpt-5.5'), model('anthropic/claude-opus-5.5')]
  expect(describeModels(models, 'claude-code', null).model).toBe('anthropic/claude-opus-5.5')
})

it('an agent gets a model with tools, and any other before none', () => {
  const models = [model('a-whisper', { capabilities: [] }), model('b')]
  expect(describeModels(models, 'opencode', null).model).toBe('b')
  expect(describeModels(models.slice(0, 1), 'opencode', null).model).toBe('a-whisper')
  expect(describeModels([], 'opencode', null)).toEqual({
    model: 'sandbox-small',
    smallModel: 'sandbox-small',
    searches: false,
  })
})

it('the user’s choice is used for small tasks too', () => {
  expect(describeModels(catalog, 'claude-code', 'gpt-4o')).toMatchObject({
    model: 'gpt-4o',
    smallModel: 'gpt-4o',
  })
})

it('limits are given only where both are known', () => {
  const models = [model('a', { maxOutputTokens: null })]
  expect(describeModels(models, 'opencode', 'a').limits).toBeUndefined()
})
