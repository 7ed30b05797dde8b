import { expect, test } from 'vitest'
import { matchesModelFilter, readModelFilter } from './model-filter.ts'

const model = {
  id: 'gpt-5.5',
  name: 'GPT 5.5',
  providers: ['openai', 'openrouter'],
  capabilities: ['vision' as const],
  enabled: false,
}
const fits = (search: string) => matchesModelFilter(readModelFilter(new URLSearchParams(search)), model)

test('disabled models are listed unless the filter asks for enabled ones', () => {
  expect([fits(''), fits('state=off'), fits('state=on')]).toEqual([true, true, false])
})

test('every word is searched in name and providers', () => {
  expect([fits('q=router+gpt'), fits('q=gpt+claude')]).toEqual([true, false])
})

test('unknown values in the address filter nothing', () => {
  expect(fits('state=maybe&can=fly')).toBe(true)
})
