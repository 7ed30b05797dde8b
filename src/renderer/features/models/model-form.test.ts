import { expect, test } from 'vitest'
import { modelRow } from '../../testing/rows.ts'
import { modelForm, readModelForm } from './model-form.ts'

const model = modelRow('fast', {
  fallbacks: ['slow'],
  overridden: true,
  override: {
    provider: 'openai',
    upstreamModel: 'gpt-fast',
    pricing: { inputPerMillion: 0.2, outputPerMillion: 0.8, cacheReadPerMillion: 0.02, perImage: 0.04 },
    fallbacks: ['slow'],
  },
})

test('opening and saving an override does not change it', () => {
  expect(readModelForm(modelForm(model), model, new Set())).toEqual({
    ok: true,
    id: 'fast',
    override: model.override,
  })
})

test('a price keeps what the form does not show, and an empty field removes a price', () => {
  const form = { ...modelForm(model), inputPrice: '0.3', cacheReadPrice: '' }
  expect(readModelForm(form, model, new Set())).toMatchObject({
    override: { pricing: { inputPerMillion: 0.3, outputPerMillion: 0.8, perImage: 0.04 } },
  })
})

test('empty fields override nothing', () => {
  const plain = { ...model, override: null }
  expect(readModelForm(modelForm(plain), plain, new Set())).toEqual({ ok: true, id: 'fast', override: {} })
})

test('a disabled model stays disabled when something else is changed', () => {
  const off = { ...model, enabled: false, override: { enabled: false } }
  const form = { ...modelForm(off), contextWindow: '1000' }
  expect(readModelForm(form, off, new Set())).toMatchObject({
    override: { enabled: false, contextWindow: 1000 },
  })
})

test('a price needs both input and output', () => {
  const form = { ...modelForm({ ...model, override: null }), inputPrice: '2.5' }
  expect(readModelForm(form, model, new Set())).toMatchObject({
    ok: false,
    errors: { outputPrice: expect.any(String) },
  })
})

test('a new alias needs an unused name, a provider and a model ID', () => {
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
