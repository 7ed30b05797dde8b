import { describe, expect, test } from 'vitest'
import { familyOf } from './model-families.ts'

describe('a family', () => {
  test.each([
    ['claude-opus-5-5-20261001', { noForcedTools: true, dropFields: ['temperature', 'top_p', 'top_k'] }],
    ['anthropic/claude-sonnet-4-6', { efforts: ['none', 'low', 'medium', 'high', 'max'] }],
    ['claude-sonnet-4-5-20250929', { thinking: 'budget' }],
    ['claude-opus-4-1-20250805', { thinking: 'budget' }],
    ['claude-opus-4-20250514', { thinking: 'budget' }],
    ['claude-3-7-sonnet-20250219', { thinking: 'budget' }],
    ['claude-3-5-haiku-latest', { thinking: 'none' }],
    ['gemini-2.5-pro', { thinking: 'budget', efforts: ['minimal', 'low', 'medium', 'high'] }],
    ['gemini-2.5-flash-lite', { thinking: 'budget' }],
    ['gemini-2.0-flash', { thinking: 'none' }],
    ['gemini-3-flash-preview', { efforts: ['minimal', 'low', 'medium', 'high'] }],
    ['gemini-3.1-pro-preview', { efforts: ['low', 'medium', 'high'] }],
    ['gemma-4-31b-it', { thinking: 'none' }],
  ])('has the quirks of %s', (id, quirks) => {
    expect(familyOf(id)?.quirks).toMatchObject(quirks)
  })

  test('of an unknown Claude is that of the newest models', () => {
    expect(familyOf('claude-opus-7')?.quirks).toMatchObject({
      dropFields: expect.arrayContaining(['temperature']),
    })
    expect(familyOf('claude-opus-7')?.quirks?.thinking).toBeUndefined()
    expect(familyOf('no-such-model')).toBeNull()
  })
})
