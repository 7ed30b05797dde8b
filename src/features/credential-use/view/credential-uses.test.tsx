import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import { providerRow } from '../../../renderer/testing/rows.ts'
import type { CredentialUse } from '../api/credential-use.ts'
import { CredentialUses } from './credential-uses.tsx'

const use = (id: string, more: Partial<CredentialUse>): CredentialUse => ({
  ...{ id, place: 1, requests: 1, costUsd: 0, tokensIn: 0, tokensCached: 0, restsUntil: null },
  ...more,
})
const provider = providerRow('openai', { credentialCount: 2, spreadSessions: true })

test('each key has its cost, its share of cached input and its rest', async () => {
  const data = [
    use('a', { requests: 12, costUsd: 3.5, tokensIn: 1000, tokensCached: 840 }),
    use('b', { place: 2, costUsd: 1, restsUntil: '2026-11-29T12:30:00.000Z' }),
    use('c', { place: null }),
  ]
  const gateway = new FakeGateway().on('listCredentialUse', () => ({ data }))
  renderView(<CredentialUses provider={provider} />, { gateway })
  const section = within(await screen.findByRole('region', { name: 'API keys in the last 30 days' }))
  const texts = section.getAllByRole('listitem').map(({ textContent }) => textContent)
  expect(texts[0]).toMatch(/^Key 1\$3\.5012 requests84% cached$/)
  expect(texts[1]).toMatch(/^Key 2\$1\.001 requestrests until \d\d:\d\d$/)
  expect(texts[2]).toMatch(/^Removed key/)
})
