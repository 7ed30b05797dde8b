import { findProvider } from '@pydantic/genai-prices'
import { expect, test } from 'vitest'
import { knownProviders } from '../providers/known-providers.ts'

test.each(knownProviders.flatMap(({ name, priceId }) => (priceId === undefined ? [] : [[name, priceId]])))(
  'the prices of %s are in the package',
  (_, priceId = '') => {
    const found = findProvider({ providerId: priceId })
    expect(found?.id).toBe(priceId)
    expect(found?.models.length).toBeGreaterThan(0)
  },
)
