import { expect, test } from 'vitest'
import { matchesModelFilter, readModelFilter } from './model-filter.ts'

const model = {
  id: 'gpt-5.5',
  name: 'GPT 5.5',
  providers: ['openai', 'openrouter'],
  capabilities: ['vision' as const],
  capabilitiesKnown: true,
  enabled: false,
  pricing: null,
  priceOrigin: null,
}
const fits = (search: string) => matchesModelFilter(readModelFilter(new URLSearchParams(search)), model)

test('disabled models are listed unless the filter asks for enabled ones', () => {
  expect([fits(''), fits('state=off'), fits('state=on')]).toEqual([true, true, false])
})

test('every word is searched in name and providers', () => {
  expect([fits('q=router+gpt'), fits('q=gpt+claude')]).toEqual([true, false])
})

test('models are found by their price', () => {
  const free = {
    ...model,
    pricing: { inputPerMillion: 0, outputPerMillion: 0, tierFactors: { batch: 0.5 } },
    priceOrigin: { source: 'user' as const, match: 'exact' as const, asOf: null },
  }
  const matching = (search: string) =>
    [model, free].filter((one) => matchesModelFilter(readModelFilter(new URLSearchParams(search)), one))
  expect(matching('price=none')).toEqual([model])
  expect(matching('price=free')).toEqual([free])
  expect(matching('price=own')).toEqual([free])
  expect(matching('price=approximate')).toEqual([])
})

test('assumed capabilities do not match a filter', () => {
  const filter = readModelFilter(new URLSearchParams('can=vision'))
  expect(matchesModelFilter(filter, model)).toBe(true)
  expect(matchesModelFilter(filter, { ...model, capabilitiesKnown: false })).toBe(false)
})

test('unknown values in the address filter nothing', () => {
  expect(fits('state=maybe&can=fly')).toBe(true)
})
