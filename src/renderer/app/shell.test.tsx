import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { useSession } from '../data/session.ts'
import { Button } from '../kit/button.tsx'
import { LoadError } from '../kit/notice.tsx'
import { Page, SkipLink } from '../kit/page.tsx'
import { FakeGateway } from '../testing/fake-gateway.ts'
import { passTime } from '../testing/pass-time.ts'
import { renderView } from '../testing/render.tsx'
import { account, gatewayInfo, keyRow } from '../testing/rows.ts'
import { Sidebar } from './app.tsx'
import { OutageBanner } from './banners.tsx'
import { FailureBoundary } from './failure-boundary.tsx'
import { useCarriedRange } from './navigation.ts'

beforeEach(() => vi.restoreAllMocks())

test('the sidebar marks the current view, also on a page below it', () => {
  renderView(<Sidebar />, { path: '/requests/req_1' })
  const current = screen.getAllByRole('link', { current: 'page' })
  expect(current.map((link) => link.textContent)).toEqual(['Requests'])
})

test('the first Tab stop skips the navigation', async () => {
  const { user } = renderView(
    <>
      <SkipLink />
      <Sidebar />
      <Page title="Overview">
        <Button>First</Button>
      </Page>
    </>,
  )
  await user.tab()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Skip to content' }))
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(screen.getByRole('main'))
  await user.tab()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'First' }))
})

test('a phone has a bar of four views, and a menu with all of them', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (media) =>
      ({
        media,
        matches: media.startsWith('(width < 40rem)'),
        addEventListener() {},
        removeEventListener() {},
      }) as unknown as MediaQueryList,
  )
  const { user, history } = renderView(<Sidebar />, { path: '/usage' })
  const bar = within(screen.getByRole('navigation', { name: 'Main views' }))
  expect(bar.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
    ...['Overview', 'Requests', 'Keys', 'Playground'],
  ])
  const more = bar.getByRole('button', { name: 'More' })
  await user.click(more)
  const menu = () => screen.queryByRole('navigation', { name: 'Views' })
  expect(within(menu() ?? document.body).getByRole('link', { current: 'page' }).textContent).toBe('Usage')
  await user.keyboard('{Escape}')
  expect(menu()).toBeNull()
  expect(document.activeElement).toBe(more)
  await user.click(more)
  await user.click(screen.getByRole('link', { name: 'Models' }))
  expect(history.at(-1)).toBe('/models')
  expect(menu()).toBeNull()
})

test('the sidebar says how many keys are paused', async () => {
  const pausedAt = '2026-11-21T12:00:00.000Z'
  const gateway = new FakeGateway().on('listKeys', () => ({
    data: [
      keyRow('a', { pausedAt }),
      keyRow('b', { pausedAt }),
      keyRow('c', { pausedAt, revokedAt: pausedAt }),
    ],
  }))
  renderView(<Sidebar />, { gateway })
  const link = screen.getByRole('link', { name: 'Keys' })
  await waitFor(() => expect(link.textContent).toBe('Keys2'))
  expect(link.getAttribute('aria-description')).toBe('2 keys are paused')
})

test('the range that was chosen last goes along to the other views that have one', async () => {
  const { user, history } = renderView(<Sidebar />, { path: '/?range=7d' })
  onTestFinished(() => useCarriedRange.setState({ query: '' }))
  await user.click(screen.getByRole('link', { name: 'Keys' }))
  expect(history.at(-1)).toBe('/keys')
  await user.click(screen.getByRole('link', { name: 'Usage' }))
  expect(history.at(-1)).toBe('/usage?range=7d')
  // The log without a range shows all time.
  const log = renderView(<Sidebar />, { path: '/requests' })
  await user.click(log.getAllByRole('link', { name: 'Usage' }).at(-1) ?? document.body)
  expect(log.history.at(-1)).toBe('/usage')
})

test('the links of the sidebar lead to the views', async () => {
  const { user, history } = renderView(<Sidebar />)
  await user.click(screen.getByRole('link', { name: 'Providers' }))
  expect(history.at(-1)).toBe('/providers')
  expect(screen.getByRole('link', { name: 'Providers' }).getAttribute('aria-current')).toBe('page')
})

test('the sidebar shows the state and the address of the gateway', async () => {
  const gateway = new FakeGateway().on('getGateway', () => ({
    ...gatewayInfo,
    baseUrl: 'http://127.0.0.1:9000',
  }))
  renderView(<Sidebar />, { gateway })
  const status = screen.getByRole('status', { name: 'Gateway' })
  expect(await within(status).findByText('127.0.0.1:9000')).toBeDefined()
  expect(await within(status).findByText('Running')).toBeDefined()
})

test('in a browser the user can sign out', async () => {
  sessionStorage.setItem('tollgate.adminKey', 'tg-secret')
  useSession.setState({ state: 'signed-in' })
  const { user } = renderView(<Sidebar />)
  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  expect(useSession.getState().state).toBe('signed-out')
  expect(sessionStorage.getItem('tollgate.adminKey')).toBeNull()
})

test('a lost connection is announced after a moment, until it is restored', async () => {
  vi.useFakeTimers()
  const { gateway } = renderView(<OutageBanner />)
  await passTime(100)
  gateway.disconnect()
  await passTime(1900)
  expect(screen.queryByRole('alert')).toBeNull()
  await passTime(200)
  expect(screen.getByRole('alert').textContent).toContain('The gateway cannot be reached.')
  gateway.restore()
  await passTime(2000)
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a gateway that answers with errors has one diagnosis, and no action that needs it is enabled', async () => {
  const gateway = new FakeGateway().fail('getAccount', 'The gateway could not read its database.')
  gateway.failEvents(500, 'The gateway could not read its database.')
  const { user } = renderView(
    <>
      <OutageBanner />
      <Sidebar />
      <Page title="Keys" actions={<Button>Create key</Button>}>
        <LoadError error={null} onRetry={() => {}} />
      </Page>
    </>,
    { gateway },
  )
  await screen.findByText('The gateway has a problem.')
  const alert = screen.getByRole('alert')
  expect(alert.textContent).toContain('The gateway has a problem. The gateway could not read its database.')
  expect(screen.queryByText(/cannot be reached/)).toBeNull()
  expect(screen.getByRole('main').textContent).toContain('Not loaded.')
  const isDisabled = () => screen.getByRole('button', { name: 'Create key' }).matches(':disabled')
  expect(isDisabled()).toBe(true)
  expect(within(screen.getByRole('status', { name: 'Gateway' })).getByText('Not working')).toBeDefined()
  await user.click(within(alert).getByRole('button', { name: 'More ways out' }))
  const items = await screen.findAllByRole('menuitem')
  expect(items.map(({ textContent }) => textContent)).toEqual(['Copy diagnostics', 'Restore a backup'])
  await user.keyboard('{Escape}')

  gateway.restore()
  gateway.on('getAccount', () => account)
  await user.click(within(alert).getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(screen.queryByText('The gateway has a problem.')).toBeNull())
  expect(isDisabled()).toBe(false)
})

test('a short interruption is not announced', async () => {
  vi.useFakeTimers()
  const { gateway } = renderView(<OutageBanner />)
  await passTime(100)
  gateway.disconnect()
  // Less than the delay of the first attempt to reconnect.
  await passTime(300)
  expect(gateway.listCalls('streamEvents')).toHaveLength(1)
  gateway.restore()
  await passTime(2200)
  expect(gateway.listCalls('streamEvents')).toHaveLength(2)
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a view that fails to render is replaced by an error page', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const Broken = () => {
    throw new Error('cannot read x of undefined')
  }
  renderView(
    <FailureBoundary>
      <Broken />
    </FailureBoundary>,
  )
  const alert = screen.getByRole('alert')
  expect(alert.textContent).toContain('cannot read x of undefined')
  expect(within(alert).getByRole('button', { name: 'Reload window' })).toBeDefined()
})
