import { expect, it } from 'vitest'
import { chooseStartingModels } from './playground-store.ts'

const sandbox = { id: 'sandbox-small', provider: 'sandbox' }
const real = { id: 'gpt-5.5', provider: 'openai' }

it('keeps the models of the previous chat', () => {
  expect(chooseStartingModels(['gpt-5.5'], [sandbox, real])).toEqual(['gpt-5.5'])
  expect(chooseStartingModels(['sandbox-small', 'gpt-5.5'], [sandbox, real])).toEqual([
    'sandbox-small',
    'gpt-5.5',
  ])
  expect(chooseStartingModels(['sandbox-small'], [sandbox])).toEqual(['sandbox-small'])
})

it.each([['sandbox-small'], ['sandbox/sandbox-small']])(
  'replaces %s with the default model once a provider serves one',
  (id) => {
    expect(chooseStartingModels([id], [sandbox, real])).toEqual([''])
  },
)
