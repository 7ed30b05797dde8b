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

/** Shows the settings that a search finds: the whole page has 45 rows, which every query by role would go through. */
export async function renderSettings(search: string, gateway = createGatewayWith()) {
  const view = renderView(<SettingsView />, { path: `/settings?q=${search}`, gateway })
  await screen.findAllByRole('heading', { level: 3 })
  return { ...view, gateway, updates: () => gateway.listCalls('updateSettings').map(({ body }) => body) }
}
