import { expect, test } from 'vitest'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { modelRow } from '../../testing/rows.ts'
import { createModelForm, toModelDraft, toOverride } from './model-form.ts'

type Draft = ReturnType<typeof toModelDraft>

function readForm(draft: Draft, record: ModelRecord | null, taken: string[] = []) {
  const parsed = createModelForm(record, new Set(taken)).safeParse(draft)
  if (parsed.success) return { id: parsed.data.id, override: toOverride(parsed.data, record) }
  return { wrong: parsed.error.issues.map(({ path }) => path.join('.')) }
}

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
  expect(readForm(toModelDraft(model), model)).toEqual({
    id: 'fast',
    override: model.override,
  })
})

test('a price keeps what the form does not show, and an empty field removes a price', () => {
  const form = { ...toModelDraft(model), inputPerMillion: '0.3', cacheReadPerMillion: '' }
  expect(readForm(form, model)).toMatchObject({
    override: { pricing: { inputPerMillion: 0.3, outputPerMillion: 0.8, perImage: 0.04 } },
  })
})

test('empty fields override nothing', () => {
  const plain = { ...model, override: null }
  expect(readForm(toModelDraft(plain), plain)).toEqual({ id: 'fast', override: {} })
})

test('a disabled model stays disabled when something else is changed', () => {
  const off = { ...model, enabled: false, override: { enabled: false } }
  const form = { ...toModelDraft(off), contextWindow: '1000' }
  expect(readForm(form, off)).toMatchObject({
    override: { enabled: false, contextWindow: 1000 },
  })
})

test('a price needs both input and output', () => {
  const form = { ...toModelDraft({ ...model, override: null }), inputPerMillion: '2.5' }
  expect(readForm(form, model)).toEqual({ wrong: ['outputPerMillion'] })
})

test('a new alias needs an unused name, a provider and a model ID', () => {
  const form = { ...toModelDraft(null), id: 'taken' }
  expect(readForm(form, null, ['taken'])).toEqual({ wrong: ['id', 'provider', 'upstreamModel'] })
  const whole = { ...form, id: 'mine', provider: 'openai', upstreamModel: 'gpt-fast' }
  expect(readForm(whole, null, ['taken'])).toEqual({
    id: 'mine',
    override: { provider: 'openai', upstreamModel: 'gpt-fast' },
  })
})
