import { useQuery } from '@tanstack/react-query'
import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { DesktopBridge } from '../../../shared/desktop/desktop.ts'
import type { UpdateState } from '../../../shared/desktop/updates.ts'
import { UpdateSign } from '../../app/sidebar-footer.tsx'
import { updates } from '../../data/desktop-state.ts'
import { SettingName } from '../../parts/settings/section.tsx'
import { renderView } from '../../testing/render.tsx'
import { sections } from './settings-index.ts'

const IDLE: UpdateState = {
  mode: 'ask',
  installedVersion: '0.1.0',
  updatedFrom: null,
  method: 'self',
  reason: null,
  phase: 'idle',
  checkedAt: null,
  update: null,
  downloadedBytes: 0,
  problem: null,
}
const FOUND = {
  version: '0.2.0',
  releasedAt: '2027-01-31T12:00:00.000Z',
  notes: '- Exact.',
  bytes: 98_000_000,
  pageUrl: 'https://github.com/a/b/releases/tag/v0.2.0',
  command: null,
}

/** A desktop in which a check finds a version. */
function installDesktop(start: Partial<UpdateState> = {}) {
  let state: UpdateState = { ...IDLE, ...start }
  let listener: (next: UpdateState) => void = () => {}
  const calls: string[] = []
  const become = (name: string, part: Partial<UpdateState>) => {
    calls.push(name)
    state = { ...state, ...part }
    listener(state)
    return Promise.resolve(state)
  }
  const desktop: Partial<DesktopBridge> = {
    getUpdates: () => Promise.resolve(state),
    setUpdateMode: (mode) => become(`mode ${mode}`, { mode }),
    checkForUpdates: () => become('check', { phase: 'available', update: FOUND }),
    downloadUpdate: () => become('download', { phase: 'downloading' }),
    dismissUpdateNews: () => become('dismiss', { updatedFrom: null }),
    restartToUpdate: () => become('restart', { phase: 'restarting' }).then(() => null),
    onUpdates: (next) => {
      listener = next
      return () => {}
    },
  }
  Object.assign(window, { desktop })
  return { calls, become }
}

afterEach(() => {
  Object.assign(window, { desktop: undefined })
})

/** The section of updates. */
function Updates() {
  const { data: state } = useQuery(updates)
  const data = {
    settings: undefined,
    account: undefined,
    plans: [],
    desktop: null,
    info: null,
    updates: state,
  }
  const section = sections.find(({ title }) => title === 'Updates')
  if (!section?.isLoaded(data)) return null
  return section.settings.map(({ name, render }) => (
    <SettingName key={name} value={name}>
      {render(data)}
    </SettingName>
  ))
}

const show = () =>
  renderView(
    <>
      <UpdateSign />
      <Updates />
    </>,
  )

test('an update is found, downloaded after a yes, and installed by a restart', async () => {
  const { calls, become } = installDesktop()
  const { user } = show()
  await user.click(await screen.findByRole('button', { name: 'Check now' }))
  expect(await screen.findByText('You have 0.1.0. Version 0.2.0 is available.')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Update available' })).toBeDefined()
  expect(await screen.findByText('Exact.')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Download (98.0 MB)' }))
  await act(() => become('progress', { downloadedBytes: 49_000_000 }))
  expect(await screen.findByText('Downloading version 0.2.0: 49.0 MB of 98.0 MB.')).toBeDefined()
  await act(() => become('ready', { phase: 'ready' }))
  const [sign, restart] = await screen.findAllByRole('button', { name: 'Restart to update' })
  expect(sign).toBeDefined()
  if (restart) await user.click(restart)
  await user.click(await screen.findByRole('button', { name: 'Restart now' }))
  expect(calls).toEqual(['check', 'download', 'progress', 'ready', 'restart', 'restart'])
})

test('it can be turned off, and a problem is shown where it occurred', async () => {
  const { calls } = installDesktop({ problem: 'The update server cannot be reached.' })
  const { user } = show()
  expect((await screen.findByRole('alert')).textContent).toBe('The update server cannot be reached.')
  await user.click(screen.getByRole('combobox', { name: 'Look for updates' }))
  await user.click(await screen.findByRole('option', { name: /^Off/ }))
  await waitFor(() => expect(calls).toEqual(['mode off']))
})

test('an installed package gets the command instead of a download', async () => {
  const reason = 'Tollgate was installed as a package, which only an administrator may replace.'
  const update = { ...FOUND, bytes: null, command: 'sudo apt install ./tollgate_0.2.0_amd64.deb' }
  installDesktop({ method: 'person', reason, phase: 'available', update })
  const { user } = show()
  expect(await screen.findByText(update.command)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Open download page' })).toBeDefined()
  expect(screen.queryByRole('button', { name: /^Download/ })).toBeNull()
  await user.click(screen.getByRole('combobox', { name: 'Look for updates' }))
  expect(screen.queryByRole('option', { name: /automatically/ })).toBeNull()
})

test('after an update the sidebar leads to what is new, once', async () => {
  const { calls } = installDesktop({ updatedFrom: '0.0.9' })
  const { user } = show()
  await user.click(await screen.findByRole('button', { name: 'New in 0.1.0' }))
  expect(calls).toEqual(['dismiss'])
  expect(screen.queryByRole('button', { name: 'New in 0.1.0' })).toBeNull()
})

test('a browser shows the version only', async () => {
  show()
  expect(await screen.findByText(/runs without a window/)).toBeDefined()
  expect(screen.queryByRole('combobox', { name: 'Look for updates' })).toBeNull()
})
