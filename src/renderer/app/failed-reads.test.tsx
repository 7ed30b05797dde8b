import { screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { ActivityView } from '../../features/activity/view/activity.tsx'
import { Keys } from '../features/keys/keys.tsx'
import { Overview } from '../features/overview/overview.tsx'
import { SettingsView } from '../features/settings/settings.tsx'
import { Usage } from '../features/usage/usage.tsx'
import { FakeGateway } from '../testing/fake-gateway.ts'
import { renderView } from '../testing/render.tsx'

test.each<[Parameters<FakeGateway['fail']>[0], string, ReactNode]>([
  ['getAccount', 'Get started in three steps', <Overview key="" />],
  ['listKeys', 'No keys yet', <Keys key="" />],
  ['listActivity', 'Nothing has happened yet', <ActivityView key="" />],
  ['getUsage', 'No usage yet', <Usage key="" />],
  // The time zone of the days is not known.
  ['getAccount', 'No usage yet', <Usage key="" />],
  ['getSettings', 'Records', <SettingsView key="" />],
])('while %s fails, a view says so, and it is read again on demand: %s', async (operation, shown, view) => {
  const gateway = new FakeGateway().fail(operation, 'The database is locked.')
  const { user } = renderView(view, { gateway })
  await screen.findByText('The database is locked.')
  expect(screen.queryByRole('status', { name: 'Loading' })).toBeNull()
  gateway.reset(operation)
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findAllByText(shown)
})
