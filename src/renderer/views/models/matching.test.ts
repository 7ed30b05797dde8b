import { expect, test } from 'vitest'
import { matches, readModelFilter } from './matching.ts'

const model = {
  id: 'gpt-5.5',
  name: 'GPT 5.5',
  providers: ['openai', 'openrouter'],
  capabilities: ['vision' as const],
  enabled: false,
}
const fits = (search: string) => matches(readModelFilter(new URLSearchParams(search)), model)

test('models that are off are listed unless only those that are on are asked for', () => {
  expect([fits(''), fits('state=off'), fits('state=on')]).toEqual([true, true, false])
})

test('every word is looked for in name and providers', () => {
  expect([fits('q=router+gpt'), fits('q=gpt+claude')]).toEqual([true, false])
})

test('an address that says nothing sensible filters nothing', () => {
  expect(fits('state=maybe&can=fly')).toBe(true)
})
