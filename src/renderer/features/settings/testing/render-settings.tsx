import { screen } from '@testing-library/react'
import type { Settings } from '../../../../shared/api/account.ts'
import { FakeGateway } from '../../../testing/fake-gateway.ts'
import { renderView } from '../../../testing/render.tsx'
import { settings } from '../../../testing/rows.ts'
import { SettingsView } from '../settings.tsx'

/** A gateway that stores its settings. */
export function createGatewayWith(part: Partial<Settings> = {}) {
  let stored = { ...settings, ...part }
  return new FakeGateway()
    .on('getSettings', () => stored)
    .on('updateSettings', ({ body }) => {
      stored = { ...stored, ...(body as Partial<Settings>) }
      return stored
    })
}

export async function renderSettings(gateway = createGatewayWith()) {
  const view = renderView(<SettingsView />, { gateway })
  await screen.findByRole('heading', { name: 'Records' })
  return { ...view, gateway, updates: () => gateway.listCalls('updateSettings').map(({ body }) => body) }
}
