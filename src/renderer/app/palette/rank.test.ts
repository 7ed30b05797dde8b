import { expect, test } from 'vitest'
import { createSearchIndex, search } from './rank.ts'

const labels = (entries: { label: string; keywords?: string }[], text: string) =>
  search(createSearchIndex(entries), text).map(({ entry }) => entry.label)

test('names that begin with the text are first, then words, then parts, then other words for it', () => {
  const entries = [
    { label: 'Raise cap of Support bot' },
    { label: 'Unsupported' },
    { label: 'Support bot' },
    { label: 'Diagnostics', keywords: 'bug report support' },
  ]
  expect(labels(entries, 'support')).toEqual([
    'Support bot',
    'Raise cap of Support bot',
    'Unsupported',
    'Diagnostics',
  ])
})

test('all words must be there, in any order', () => {
  const entries = [{ label: 'Raise cap of Support bot' }, { label: 'Raise cap of Editor' }]
  expect(labels(entries, 'support raise')).toEqual(['Raise cap of Support bot'])
  expect(labels(entries, 'raise nothing')).toEqual([])
})

test('punctuation can be left out', () => {
  const entries = [{ label: 'gpt-4o' }, { label: 'openai/gpt-4o-mini' }]
  expect(labels(entries, 'gpt4o')).toEqual(['gpt-4o', 'openai/gpt-4o-mini'])
})

test('the entry is found among three thousand', () => {
  const index = createSearchIndex(
    Array.from({ length: 3000 }, (_, at) => ({ label: `vendor/model-${at}-large`, keywords: 'Vendor' })),
  )
  expect(search(index, 'model 2917')[0]?.entry.label).toBe('vendor/model-2917-large')
})
