import { describe, expect, test } from 'vitest'
import { isChatModel } from '../../../shared/api/terms.ts'
import { findFamily, findVendorId, searchesByItself } from './model-families.ts'

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
    ['x-ai/grok-4.6', { unlimitedReasoning: true }],
  ])('has the quirks of %s', (id, quirks) => {
    expect(findFamily(id)?.quirks).toMatchObject(quirks)
  })

  test('of an unknown Claude is that of the newest models', () => {
    expect(findFamily('claude-opus-7')?.quirks).toMatchObject({
      dropFields: expect.arrayContaining(['temperature']),
    })
    expect(findFamily('claude-opus-7')?.quirks?.thinking).toBeUndefined()
    expect(findFamily('no-such-model')).toBeNull()
  })
})

test.each([
  ['gpt-5-search-api-2025-10-14', true],
  ['perplexity/sonar-deep-research', true],
  ['groq/compound-mini', true],
  ['openai/gpt-5.5:online', true],
  ['sonar-pro', false],
  ['deepseek/deepseek-chat:free', false],
])('%s searches by itself: %s', (id, searches) => {
  expect(searchesByItself(id)).toBe(searches)
})

test.each([
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5-20250929'],
  ['global.anthropic.claude-opus-5-5', 'claude-opus-5-5'],
  ['us-gov.anthropic.claude-3-haiku-20240307-v1:0', 'claude-3-haiku-20240307'],
  ['anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
  ['arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-5', 'claude-opus-5'],
  ['openai.gpt-5.4', 'gpt-5.4'],
  ['claude-haiku-4-5@20251001', 'claude-haiku-4-5-20251001'],
  ['gpt-5.4', 'gpt-5.4'],
  ['deepseek-v3', 'deepseek-v3'],
  ['openai/gpt-oss-120b', 'openai/gpt-oss-120b'],
])('the id %s of a cloud stands for %s', (id, vendorId) => {
  expect(findVendorId(id)).toBe(vendorId)
})

describe('models that do not chat', () => {
  test.each([
    ['text-embedding-3-small', 'embeddings'],
    ['nomic-embed-text:latest', 'embeddings'],
    ['BAAI/bge-m3', 'embeddings'],
    ['gemini-embedding-001', 'embeddings'],
    ['jina-reranker-v2', 'rerank'],
    ['whisper-large-v3-turbo', 'transcription'],
    ['gpt-4o-mini-transcribe', 'transcription'],
    ['gpt-4o-mini-tts', 'speech'],
    ['tts-1-hd', 'speech'],
    ['gpt-image-1.5', 'images'],
    ['omni-moderation-latest', 'moderation'],
  ] as const)('%s is for %s', (id, capability) => {
    expect(findFamily(id)?.capabilities).toEqual([capability])
  })

  test.each([
    'gemini-2.5-flash-preview-tts',
    'gemini-3-pro-image-preview',
    'gpt-4o-audio-preview',
    'meta-llama/Llama-Guard-4-12B',
  ])('%s does, in its own way', (id) => {
    const family = findFamily(id)
    expect(family === null || isChatModel(family)).toBe(true)
  })
})
