import { expect, test } from 'vitest'
import { createProvider } from '../../store/store.ts'
import { findRetirement, findVendorRetirement, isRetired } from './retirements.ts'

const provider = (id: string, baseUrl: string) =>
  createProvider({ id, name: id, apiFormat: 'openai-chat', baseUrl, createdAt: 0 })
const openai = provider('openai', 'https://api.openai.com/v1')
const source = 'https://developers.openai.com/api/docs/deprecations'

test('a date stands for the snapshots of a model that have none themselves', () => {
  expect(findRetirement(openai, 'gpt-4o', undefined)).toEqual({ on: '2027-01-14', source })
  expect(findRetirement(openai, 'gpt-4o-2024-11-20', undefined)).toEqual({ on: '2027-01-14', source })
  expect(findRetirement(openai, 'gpt-4o-2024-05-13', undefined)?.on).toBe('2026-10-23')
  expect(findVendorRetirement('anthropic', 'claude-sonnet-4-5-20250929')?.on).toBe('2026-11-30')
  for (const id of ['gpt-4o-mini-search-preview', 'gpt-5.2', 'constructor'])
    expect([id, findRetirement(openai, id, undefined)]).toEqual([id, null])
})

test('the date in the list of a provider counts first; those of a vendor do not hold elsewhere', () => {
  const elsewhere = provider('openai', 'http://127.0.0.1:9999/v1')
  expect(findRetirement(elsewhere, 'gpt-5', undefined)).toBeNull()
  expect(findRetirement(elsewhere, 'gpt-5', '2030-01-01')).toEqual({ on: '2030-01-01', source })
  expect(findRetirement(openai, 'gpt-5', '2030-01-01')?.on).toBe('2030-01-01')
  const other = provider('acme', 'https://api.acme.test/v1')
  expect(findRetirement(other, 'm', '2030-01-01')).toEqual({ on: '2030-01-01', source: null })
})

test('a model is retired from the beginning of the day on', () => {
  const retirement = { on: '2026-12-11', source: null }
  expect(isRetired(retirement, Date.parse('2026-12-10T23:59:59Z'))).toBe(false)
  expect(isRetired(retirement, Date.parse('2026-12-11T00:00:00Z'))).toBe(true)
})
