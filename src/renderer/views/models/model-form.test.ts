import { expect, test } from 'vitest'
import type { ModelRecord } from '../../../shared/models.ts'
import { modelForm, readModelForm } from './model-form.ts'

const model: ModelRecord = {
  id: 'fast',
  object: 'model',
  type: 'model',
  created: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  owned_by: 'openai',
  name: 'Fast',
  display_name: 'Fast',
  provider: 'openai',
  providers: ['openai'],
  contextWindow: 128_000,
  maxOutputTokens: null,
  pricing: null,
  priceOrigin: null,
  capabilities: ['tools', 'streaming'],
  fallbacks: ['slow'],
  enabled: true,
  overridden: true,
  override: {
    provider: 'openai',
    upstreamModel: 'gpt-fast',
    pricing: { inputPerMillion: 0.2, outputPerMillion: 0.8, cacheReadPerMillion: 0.02 },
    fallbacks: ['slow'],
  },
}

test('an override that is opened and saved is the same', () => {
  expect(readModelForm(modelForm(model), model, new Set())).toEqual({
    ok: true,
    id: 'fast',
    override: model.override,
  })
})

test('blank fields leave things as they are known', () => {
  const plain = { ...model, override: null }
  expect(readModelForm(modelForm(plain), plain, new Set())).toEqual({ ok: true, id: 'fast', override: {} })
})

test('a model that is off stays off when something else of it is changed', () => {
  const off = { ...model, enabled: false, override: { enabled: false } }
  const form = { ...modelForm(off), contextWindow: '1000' }
  expect(readModelForm(form, off, new Set())).toMatchObject({
    override: { enabled: false, contextWindow: 1000 },
  })
})

test('a price needs both sides', () => {
  const form = { ...modelForm({ ...model, override: null }), inputPrice: '2.5' }
  expect(readModelForm(form, model, new Set())).toMatchObject({
    ok: false,
    errors: { outputPrice: expect.any(String) },
  })
})

test('a new alias needs a free name, a provider and a model there', () => {
  const form = { ...modelForm(null), id: 'taken' }
  expect(readModelForm(form, null, new Set(['taken']))).toMatchObject({
    ok: false,
    errors: { id: expect.any(String), provider: expect.any(String), upstreamModel: expect.any(String) },
  })
  const whole = { ...form, id: 'mine', provider: 'openai', upstreamModel: 'gpt-fast' }
  expect(readModelForm(whole, null, new Set(['taken']))).toEqual({
    ok: true,
    id: 'mine',
    override: { provider: 'openai', upstreamModel: 'gpt-fast' },
  })
})
