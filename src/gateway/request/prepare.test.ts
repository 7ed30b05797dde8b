import { expect, test } from 'vitest'
import type { ApiFormat } from '../../shared/api/providers.ts'
import type { Quirks } from '../formats/chat/codec-types.ts'
import { asObject, type JsonObject, parseJson } from '../formats/json/json.ts'
import { testOffer } from '../models/catalog/testing/offer.ts'
import { testTarget } from '../upstream/testing/test-upstream.ts'
import { createNativeCandidate } from './testing/native-candidate.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]

interface Case {
  model?: string
  format?: ApiFormat
  isTextCompletion?: boolean
  isStrict?: boolean
  quirks?: Quirks
}

function create(given: JsonObject, { model = 'gpt-5', format = 'openai-chat', ...more }: Case = {}) {
  const { isTextCompletion = false, isStrict = false, quirks = {} } = more
  const offer = testOffer({ vendorModel: model, maxOutputTokens: 100, capabilities: ['reasoning'] })
  const completions = isTextCompletion ? { path: '/completions' } : null
  const endpoint = { ...testTarget(''), apiFormat: format, quirks, completions }
  const json = { model: 'm', messages, max_tokens: 50, ...given }
  const decoded = { request: json, unsupported: null }
  return createNativeCandidate({ format, json, decoded, isTextCompletion }, { offer, endpoint }, { isStrict })
}

test('what a client predicts of the answer is reserved as output, beyond its limit', () => {
  const prediction = { type: 'content', content: 'x'.repeat(1_000) }
  const { bound } = create({ prediction })
  expect(bound.predicted).toBeGreaterThanOrEqual(1_000)
  expect(bound.output).toBe(50 + (bound.predicted ?? 0))
  expect(create({}).bound.output).toBe(50)
})

const asMessages = (model: string): Case => ({ model, format: 'anthropic-messages' })
const adaptive = { thinking: { type: 'adaptive' } }

test.each<[JsonObject, Case, number | undefined]>([
  [{}, asMessages('claude-haiku-4-5'), undefined],
  [{}, asMessages('claude-opus-4-7'), undefined],
  [{ output_config: { effort: 'high' } }, asMessages('claude-opus-4-8'), undefined],
  [adaptive, asMessages('claude-opus-4-8'), 8_000],
  [{ thinking: { type: 'disabled' } }, asMessages('claude-sonnet-4-6'), undefined],
  // Since Claude 5, models think unless the request disables it.
  [{}, asMessages('claude-opus-5'), 8_000],
  [{}, asMessages('claude-opus-5-5'), 8_000],
  [{}, { model: 'gpt-5' }, 8_000],
  [{}, { model: 'gpt-5.2' }, undefined],
  [{ reasoning_effort: 'low' }, { model: 'gpt-5.2' }, 4_000],
  [{ prompt: 'Hi' }, { model: 'gpt-5', isTextCompletion: true }, undefined],
])('%j to %j is likely to need %s tokens for reasoning', (given, to, tokens) => {
  expect(create(given, to).likelyReasoning).toBe(tokens)
})

const STRICT: Case = { isStrict: true, quirks: { openaiOwned: true } }

test.each<[string, JsonObject, Case, unknown]>([
  ['if the client leaves it to the project', {}, STRICT, 'default'],
  ['if the client says so', { service_tier: 'auto' }, STRICT, 'default'],
  ['unless the client names one', { service_tier: 'flex' }, STRICT, 'flex'],
  ['but not with completions', { prompt: 'Hi' }, { ...STRICT, isTextCompletion: true }, undefined],
  ['but not without a strict limit', {}, { ...STRICT, isStrict: false }, undefined],
  ['but not to other vendors', {}, { isStrict: true }, undefined],
])('under a strict limit, OpenAI is sent the standard tier, %s', (_, given, more, tier) => {
  const { encoded } = create(given, more)
  expect(asObject(parseJson(encoded?.body ?? '')).service_tier).toBe(tier)
})
