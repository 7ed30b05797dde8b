import { describe, expect, it } from 'vitest'
import { anthropicMessages } from '../formats/anthropic-messages/codec.ts'
import type { FormatCodec } from '../formats/chat/codec-types.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { geminiGenerate } from '../formats/gemini-generate/codec.ts'
import { openaiChat } from '../formats/openai-chat/codec.ts'
import { getUsage, replayDefaults } from '../formats/testing/replay.ts'
import { PriceDatabase } from '../models/catalog/price-database.ts'
import { findVendorPrice } from '../models/catalog/price-sources.ts'
import { testChunk, testCompletion, testTarget } from '../upstream/testing/test-upstream.ts'
import { statusOfReport } from './charge.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
const prices = new PriceDatabase()
const price = (vendor: string, model: string) => findVendorPrice(prices, vendor, model, NOON)
const target = testTarget('http://127.0.0.1:1')

function readCostStatus(codec: FormatCodec, body: object, of = price('openai', 'gpt-5')) {
  const answer = codec.plainAnswer(body, target, replayDefaults)
  if (answer instanceof UpstreamFailure || !answer.usage) throw new Error('no usage')
  return statusOfReport(answer.usage, of)
}

const completion = testCompletion('Hi')
const tokens = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 }
const claude = (service_tier: string) => ({
  content: [{ type: 'text', text: 'Hi' }],
  usage: { input_tokens: 8, output_tokens: 7, service_tier },
})
const piece = { content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }
const google = (serviceTier: string) => ({
  candidates: [piece],
  usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 7, serviceTier },
})

describe('the charge of a provider\u2019s own count', () => {
  it('is exact in a tier with known prices, estimated in another one', () => {
    expect(readCostStatus(openaiChat, { ...completion, service_tier: 'default' })).toBe('exact')
    expect(readCostStatus(openaiChat, completion)).toBe('exact')
    for (const service_tier of ['priority', 'fast', 'flex', 'batch'])
      expect(readCostStatus(openaiChat, { ...completion, service_tier })).toBe('exact')
    expect(readCostStatus(openaiChat, { ...completion, service_tier: 'scale' })).toBe('estimated')
    const sonnet = price('anthropic', 'claude-sonnet-5')
    expect(readCostStatus(anthropicMessages, claude('standard'), sonnet)).toBe('exact')
    expect(readCostStatus(anthropicMessages, claude('priority'), sonnet)).toBe('estimated')
    const gemini = price('google', 'gemini-2.5-flash')
    expect(readCostStatus(geminiGenerate, google('standard'), gemini)).toBe('exact')
    expect(readCostStatus(geminiGenerate, google('flex'), gemini)).toBe('exact')
    expect(readCostStatus(geminiGenerate, google('priority'), gemini)).toBe('estimated')
  })

  it('is exact in any tier when the provider reports the cost', () => {
    const usage = { ...tokens, cost: 0.5 }
    expect(readCostStatus(openaiChat, { ...completion, usage, service_tier: 'priority' })).toBe('exact')
  })

  it('is estimated with the price of a model that is only similar', () => {
    const similar = price('anthropic', 'claude-sonnet-5-9')
    expect(similar?.origin.match).toBe('approximate')
    expect(readCostStatus(openaiChat, completion, similar)).toBe('estimated')
    expect(readCostStatus(openaiChat, { ...completion, usage: { ...tokens, cost: 0.5 } }, similar)).toBe(
      'exact',
    )
  })

  it('reads the tier from any chunk of a stream', () => {
    const parser = openaiChat.streamParser(target, replayDefaults)
    const chunks = [
      { ...testChunk({ content: 'Hi' }, 'stop'), service_tier: 'priority' },
      { ...testChunk({}), choices: [], usage: tokens },
    ]
    const events = chunks.flatMap((chunk) =>
      parser.event({ type: 'event', event: null, data: JSON.stringify(chunk) }),
    )
    expect(getUsage(events)).toMatchObject({ otherTier: 'priority' })
  })

  it('is estimated where audio is charged as text, because it has no separate price', () => {
    const audio = { ...tokens, prompt_tokens_details: { audio_tokens: 80 } }
    const withAudio = { ...completion, usage: audio }
    expect(readCostStatus(openaiChat, withAudio, price('openai', 'gpt-4o'))).toBe('estimated')
    expect(readCostStatus(openaiChat, withAudio, price('google', 'gemini-2.5-flash'))).toBe('exact')
    expect(readCostStatus(openaiChat, completion, price('openai', 'gpt-4o'))).toBe('exact')
  })

  it('counts cached audio separately', () => {
    const details = [{ modality: 'AUDIO', tokenCount: 600 }]
    const usageMetadata = {
      promptTokenCount: 1_500,
      cachedContentTokenCount: 1_000,
      promptTokensDetails: details,
      cacheTokensDetails: details,
      candidatesTokenCount: 100,
    }
    const answer = geminiGenerate.plainAnswer({ candidates: [piece], usageMetadata }, target, replayDefaults)
    expect(answer).toMatchObject({
      usage: { buckets: { input: 500, cacheRead: 1_000, cacheReadAudio: 600, audioInput: 0, output: 100 } },
    })
  })
})
