import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { DesktopBridge, DesktopState } from '../../shared/desktop/desktop.ts'
import { desktopState, installDesktop, removeDesktop } from '../testing/desktop.ts'
import { renderView } from '../testing/render.tsx'
import { PortBanner } from './banners.tsx'

const portInUse: DesktopState = {
  ...desktopState,
  baseUrl: null,
  listenError: 'Port 8655 is in use.',
  suggestedPort: 8656,
}

/** A desktop whose port is taken until `setPort` is called with `freePort`. */
function installPorts(freePort: number) {
  let state = portInUse
  const desktop: Partial<DesktopBridge> = {
    getState: () => Promise.resolve(state),
    setPort: (port) => {
      state =
        port === freePort
          ? { ...state, port, listenError: null, baseUrl: `http://127.0.0.1:${port}` }
          : { ...state, listenError: `Port ${port} is in use, too.` }
      return Promise.resolve(state)
    },
  }
  installDesktop(desktop)
}

afterEach(removeDesktop)

test('a port that is in use is reported, and the suggested one can be used', async () => {
  installPorts(8656)
  const { user } = renderView(<PortBanner />)
  expect((await screen.findByRole('alert')).textContent).toContain('Port 8655 is in use.')
  await user.click(screen.getByRole('button', { name: 'Use port 8656' }))
  expect(await screen.findByText('The gateway now listens on port 8656.')).toBeDefined()
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
})

test('if that port is in use as well, the banner shows it', async () => {
  installPorts(9000)
  const { user } = renderView(<PortBanner />)
  await user.click(await screen.findByRole('button', { name: 'Use port 8656' }))
  await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('Port 8656 is in use, too.'))
})

test('the other solution is the setting', async () => {
  installPorts(8656)
  renderView(<PortBanner />)
  const link = await screen.findByRole('link', { name: 'Choose a port' })
  expect(link.getAttribute('href')).toBe('/settings')
})
