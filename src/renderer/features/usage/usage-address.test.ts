import { expect, test } from 'vitest'
import { readAddress, writeAddress } from './usage-filter-bar.tsx'

test('without parameters: models, the most expensive first, and their keys', () => {
  expect(readAddress('')).toEqual({
    by: 'model',
    parts: 'key',
    filter: {},
    sort: { column: 'cost', descending: true },
  })
})

test('what is shown is the same after a round trip through the address', () => {
  const shown = {
    by: 'key',
    parts: 'client',
    filter: { model: 'meta/llama & co', provider: 'openai' },
    sort: { column: 'tokensIn', descending: false },
  } as const
  expect(readAddress(writeAddress('', shown))).toEqual(shown)
})

test('defaults are left out of the address, and the range of time stays in it', () => {
  const search = 'range=7d&by=key&parts=client&sort=requests&model=a'
  expect(writeAddress(search, { by: 'model', parts: 'key', filter: {} })).toBe('range=7d')
  expect(writeAddress('range=7d', { sort: { column: 'errors', descending: true } })).toBe(
    'range=7d&sort=-errors',
  )
})

test('other rows are sorted again, and are not divided by themselves', () => {
  expect(readAddress(writeAddress('by=model&parts=key&sort=-p95', { by: 'key' }))).toMatchObject({
    by: 'key',
    parts: 'model',
    sort: { column: 'cost', descending: true },
  })
  expect(readAddress('by=day').sort).toEqual({ column: 'name', descending: true })
  expect(readAddress('by=key&parts=key').parts).toBe('model')
})

test('unknown values are ignored', () => {
  expect(readAddress('by=year&parts=day&sort=-name2&key=')).toEqual(readAddress(''))
})
