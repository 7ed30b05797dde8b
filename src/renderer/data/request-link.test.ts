import { expect, test } from 'vitest'
import { requestsHref, usageHref } from './request-link.ts'

test('a link to requests names their filter and range', () => {
  expect(requestsHref({ model: 'meta/llama & co', key: 'key_1' }, { preset: '7d' })).toBe(
    '/requests?model=meta%2Fllama+%26+co&key=key_1&range=7d',
  )
  expect(requestsHref({}, null)).toBe('/requests')
})

test('requests of programs without a name can be selected, those without a model or provider cannot', () => {
  expect(requestsHref({ client: '' }, { firstDay: '2026-11-01', lastDay: '2026-11-07' })).toBe(
    '/requests?client=&from=2026-11-01&to=2026-11-07',
  )
  expect(requestsHref({ tag: '' }, null)).toBe('/requests?tag=')
  expect(requestsHref({ provider: '' }, null)).toBeNull()
})

test('a link to usage names the split', () => {
  expect(usageHref('client', { preset: '30d' })).toBe('/usage?by=client&range=30d')
})
