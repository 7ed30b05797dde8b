import { screen } from '@testing-library/react'
import { type Mock, vi } from 'vitest'
import type { ProviderRecord, ProviderTest } from '../../../../shared/api/providers.ts'
import { FakeGateway } from '../../../testing/fake-gateway.ts'
import { renderView } from '../../../testing/render.tsx'
import { modelRow, providerRow } from '../../../testing/rows.ts'
import { SetUpProvider } from '../set-up-provider.tsx'

export const works: ProviderTest = { ok: true, latencyMs: 120, modelCount: 0 }
export const fails: ProviderTest = { ok: false, latencyMs: 5, modelCount: 0, error: 'Connection refused.' }

export function createGatewayWith(test = works) {
  return new FakeGateway()
    .on('putProvider', ({ id }) => providerRow(id))
    .on('tryProvider', () => test)
    .on('fetchProviderModels', () => ({ data: [modelRow('a'), modelRow('b')] }))
}

export function renderForm(provider: ProviderRecord | null, gateway = createGatewayWith()) {
  const onClose: Mock<() => void> = vi.fn()
  const view = renderView(<SetUpProvider provider={provider} onClose={onClose} />, { gateway })
  return {
    ...view,
    onClose,
    save: () => view.user.click(screen.getByRole('button', { name: 'Test and save' })),
  }
}

export async function fillCustom({ user }: ReturnType<typeof renderForm>, baseUrl: string) {
  await user.type(screen.getByLabelText('Name'), 'My Server')
  await user.type(screen.getByLabelText('Base URL'), baseUrl)
}
