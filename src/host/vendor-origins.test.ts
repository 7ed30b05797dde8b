import { expect, test } from 'vitest'
import { knownProviders } from '../gateway/models/providers/known-providers.ts'
import { vendorOrigins } from './provider-secrets.ts'

test('the pages on which users create credentials may be opened', () => {
  const pages = knownProviders.flatMap(({ consoleUrl }) => consoleUrl ?? [])
  expect(pages.length).toBeGreaterThan(5)
  expect(pages.filter((page) => !vendorOrigins.includes(new URL(page).origin))).toEqual([])
  expect(vendorOrigins.filter((origin) => !origin.startsWith('https://'))).toEqual([])
})
