import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Settings } from '../../../shared/api/account.ts'
import { formatDay } from '../../kit/format.ts'
import { account, gatewayInfo, settings } from '../../testing/rows.ts'
import { createGatewayWith, renderSettings } from './testing/render-settings.tsx'

test('thresholds of alerts are typed, and invalid ones are rejected', async () => {
  const { user, updates } = await renderSettings(
    'custom thresholds',
    createGatewayWith({ notifyAtPercent: [80, 90] }),
  )
  const field = screen.getByRole('textbox', { name: 'Spend alerts' })
  expect(field).toHaveProperty('value', '80, 90')
  await user.clear(field)
  await user.type(field, '101{Enter}')
  expect(screen.getByRole('alert').textContent).toMatch(/whole number from 1 to 100/)
  await user.clear(field)
  await user.type(field, '65, 95 %{Enter}')
  await waitFor(() => expect(updates()).toEqual([{ notifyAtPercent: [65, 95] }]))
})

test('thresholds that cannot be saved are reported', async () => {
  const gateway = createGatewayWith().fail('updateSettings', 'The disk is full.')
  const { user } = await renderSettings('spend alerts', gateway)
  await user.type(screen.getByRole('textbox', { name: 'Spend alerts' }), ', 90{Enter}')
  expect((await screen.findByRole('alert')).textContent).toBe('The disk is full.')
})

test('without a threshold it shows that no alerts are sent', async () => {
  await renderSettings('thresholds', createGatewayWith({ notifyAtPercent: [] }))
  expect(screen.getByText(/None is set, so no alerts are sent/)).toBeDefined()
})

test('origins are validated, added and removed', async () => {
  const { user, updates } = await renderSettings('origins')
  const field = screen.getByRole('textbox', { name: 'Origin' })
  await user.type(field, 'example.org{Enter}')
  expect(screen.getByRole('alert').textContent).toMatch(/Enter an origin such as/)
  await user.clear(field)
  await user.type(field, 'https://example.org/{Enter}')
  const remove = await screen.findByRole('button', { name: 'Remove https://example.org' })
  expect(field).toHaveProperty('value', '')
  expect(screen.queryByRole('alert')).toBeNull()
  await user.click(remove)
  await waitFor(() => expect(screen.queryByText('https://example.org')).toBeNull())
  expect(updates()).toEqual([{ allowedOrigins: ['https://example.org'] }, { allowedOrigins: [] }])
})

test('an allowed origin is not added again', async () => {
  const { user, updates } = await renderSettings(
    'origins',
    createGatewayWith({ allowedOrigins: ['https://example.org'] }),
  )
  await user.type(screen.getByRole('textbox', { name: 'Origin' }), 'https://example.org{Enter}')
  expect(updates()).toEqual([])
})

test('a rate limit is set for both plans, and a blank field returns to the default', async () => {
  const { user, updates } = await renderSettings('requests per minute')
  const field = await screen.findByRole('textbox', { name: 'Requests per minute' })
  expect(field).toHaveProperty('placeholder', 'Default (600)')
  await user.type(field, '30{Enter}')
  await waitFor(() => expect(updates()).toHaveLength(1))
  await waitFor(() => expect(field).toHaveProperty('value', '30'))
  await user.clear(field)
  await user.type(field, '{Enter}')
  await waitFor(() => expect(updates()).toHaveLength(2))
  expect(updates()).toEqual([
    { planLimits: { 'pay-as-you-go': { requestsPerMinute: 30 }, bundle: { requestsPerMinute: 30 } } },
    { planLimits: {} },
  ])
})

/** A gateway that stores its account, of which $3.00 is spent this month. */
function createAccountGateway() {
  let stored = account
  return createGatewayWith()
    .on('getAccount', () => stored)
    .on('updateAccount', ({ body }) => {
      stored = { ...stored, ...(body as Partial<typeof account>) }
      return stored
    })
}

test('the negotiated discount is off at first, and warned about while it is on', async () => {
  const { user, gateway } = await renderSettings('discount', createAccountGateway())
  const discount = await screen.findByRole('switch', { name: 'Negotiated discount' })
  expect(discount.getAttribute('aria-checked')).toBe('false')
  expect(screen.queryByText(/Recorded costs are/)).toBeNull()
  await user.click(discount)
  expect(
    await screen.findByText(
      'Recorded costs are 20% below list price. Turn this on only if your provider bills you that way.',
    ),
  ).toBeDefined()
  await user.click(discount)
  await waitFor(() => expect(screen.queryByText(/Recorded costs are/)).toBeNull())
  expect(gateway.listCalls('updateAccount').map(({ body }) => body)).toEqual([
    { plan: 'bundle' },
    { plan: 'pay-as-you-go' },
  ])
})

test('a monthly limit below what is spent is set only after a warning', async () => {
  const { user, gateway } = await renderSettings('monthly maximum', createAccountGateway())
  const field = await screen.findByRole('textbox', { name: 'Monthly limit' })
  await user.type(field, '3')
  const warning = `You have spent $3.00 this month. All requests will be refused until ${formatDay(account.monthResetsAt, Date.now(), 'UTC')}.`
  expect(screen.getByText(warning)).toBeDefined()
  await user.type(field, '{Enter}')
  const dialog = await screen.findByRole('alertdialog')
  expect(within(dialog).getByText(warning)).toBeDefined()
  expect(gateway.listCalls('updateAccount')).toEqual([])
  await user.click(within(dialog).getByRole('button', { name: 'Set limit' }))
  await waitFor(() => expect(field).toHaveProperty('value', '3'))
  expect(gateway.listCalls('updateAccount').map(({ body }) => body)).toEqual([{ monthlyLimitUsd: 3 }])
})

test('the monthly limit is an amount', async () => {
  const { user, gateway } = await renderSettings('monthly maximum', createAccountGateway())
  const field = await screen.findByRole('textbox', { name: 'Monthly limit' })
  await user.type(field, 'a lot')
  expect(screen.getByRole('alert').textContent).toMatch(/Enter an amount in USD/)
  await user.clear(field)
  await user.type(field, '$25{Enter}')
  await waitFor(() => expect(field).toHaveProperty('value', '25'))
  expect(gateway.listCalls('updateAccount').map(({ body }) => body)).toEqual([{ monthlyLimitUsd: 25 }])
})

test('limits can be strict, and then promise that they are never exceeded', async () => {
  const { user, updates } = await renderSettings('cap budget')
  expect(await screen.findByText(/Requests stop once it is spent; the last one may go over it/)).toBeDefined()
  await user.click(screen.getByRole('switch', { name: 'Strict limits' }))
  expect(await screen.findByText(/Spend never exceeds it/)).toBeDefined()
  expect(updates()).toEqual([{ strictLimits: true }])
})

const { guard } = settings

test.each<[search: string, role: string, name: string, message: string, saved: object, restored: object]>([
  [
    'runaway',
    'switch',
    'Pause runaway keys',
    '“Pause runaway keys” is off.',
    { guard: { ...guard, enabled: false } },
    { guard },
  ],
  [
    'sensitivity',
    'radio',
    'High',
    'Sensitivity is high.',
    { guard: { ...guard, sensitivity: 'high' } },
    { guard },
  ],
  [
    'strict limits',
    'switch',
    'Strict limits',
    '“Strict limits” is on.',
    { strictLimits: true },
    { strictLimits: false },
  ],
  [
    'durability',
    'switch',
    'Record requests before sending them',
    '“Record requests before sending them” is on.',
    { durability: 'strict' },
    { durability: 'standard' },
  ],
  [
    'proxy',
    'switch',
    'Use this computer’s proxy and certificates',
    '“Use this computer’s proxy and certificates” is on.',
    { network: 'system' },
    { network: 'direct' },
  ],
  [
    'docker',
    'switch',
    'Let containers reach the gateway',
    '“Let containers reach the gateway” is on.',
    { containerAccess: true },
    { containerAccess: false },
  ],
  [
    'discount',
    'switch',
    'Negotiated discount',
    '“Negotiated discount” is on.',
    { plan: 'bundle' },
    { plan: 'pay-as-you-go' },
  ],
])(
  '“%s”: the %s “%s” confirms what it has changed, and can be undone',
  async (search, role, name, message, ...changes) => {
    const { gateway, user } = await renderSettings(search)
    gateway.on('updateAccount', () => account)
    await user.click(screen.getByRole(role, { name }))
    await screen.findByText(message)
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    const bodies = () =>
      gateway.calls
        .filter(({ operation }) => ['updateSettings', 'updateAccount'].includes(operation))
        .map(({ body }) => body)
    await waitFor(() => expect(bodies()).toEqual(changes))
    await waitFor(() => expect(screen.queryByText(message)).toBeNull())
  },
)

test('containers are let in by a switch, and a problem is shown next to it', async () => {
  const problem = 'Docker’s network interface docker0 was not found.'
  let enabled = false
  const gateway = createGatewayWith()
    .on('getGateway', () => ({
      ...gatewayInfo,
      containers: { enabled, baseUrl: null, problem: enabled ? problem : null },
    }))
    .on('updateSettings', ({ body }) => {
      enabled = (body as Partial<Settings>).containerAccess === true
      return { ...settings, containerAccess: enabled }
    })
  const { user } = await renderSettings('docker', gateway)
  const access = await screen.findByRole('switch', { name: 'Let containers reach the gateway' })
  expect(access.getAttribute('aria-checked')).toBe('false')
  await user.click(access)
  expect(await screen.findByText(problem)).toBeDefined()
  expect(access.getAttribute('aria-checked')).toBe('true')
})

test('the settings that a search finds are shown in their sections', async () => {
  const { user } = await renderSettings('docker')
  const headings = (level: number) =>
    screen.queryAllByRole('heading', { level }).map(({ textContent }) => textContent)
  expect([headings(2), headings(3)]).toEqual([['Gateway'], ['Containers']])
  const search = screen.getByRole('searchbox', { name: 'Search settings' })
  await user.type(search, 'x')
  expect(screen.getByText('No settings match. Try a shorter search.')).toBeDefined()
  await user.clear(search)
  expect(headings(3).length).toBeGreaterThan(15)
})

test('the proxy that was found is shown, and used once that is turned on', async () => {
  const address = 'http://proxy.example:3128'
  const found = { address, source: 'HTTPS_PROXY', problem: null }
  const gateway = createGatewayWith().on('getNetwork', () => ({
    isUsed: false,
    proxies: [found],
    certificateProblem: null,
  }))
  const { user, updates } = await renderSettings('proxy', gateway)
  expect((await screen.findByText(address)).parentElement?.textContent).toBe(
    `Found, not used: ${address} (HTTPS_PROXY).`,
  )
  gateway.on('getNetwork', () => ({
    isUsed: true,
    proxies: [{ ...found, problem: 'The proxy refused the connection.' }],
    certificateProblem: null,
  }))
  await user.click(screen.getByRole('switch', { name: 'Use this computer’s proxy and certificates' }))
  await waitFor(() => expect(updates()).toEqual([{ network: 'system' }]))
  expect(await screen.findByText(/The proxy refused the connection\./)).toBeDefined()
})

test('the alerts of plans and their extra usage are set', async () => {
  const { user, updates } = await renderSettings('subscription')
  await user.click(screen.getByRole('switch', { name: 'Plan only' }))
  await user.click(screen.getByRole('switch', { name: 'Plan overflow' }))
  const alerts = screen.getByRole('textbox', { name: 'Plan alerts' })
  await user.clear(alerts)
  await user.type(alerts, '50, 60, 70, 80, 90, 95{Enter}')
  expect(screen.getByRole('alert').textContent).toBe('Enter at most five.')
  await user.clear(alerts)
  await user.type(alerts, '90{Enter}')
  const reset = screen.getByRole('textbox', { name: 'Before a plan resets' })
  await user.type(reset, '0{Enter}')
  expect(screen.getByRole('alert').textContent).toMatch(/from 1 to 1440/)
  await user.clear(reset)
  await user.type(reset, '30{Enter}')
  await waitFor(() =>
    expect(updates()).toEqual([
      { planOnly: true },
      { planOverflow: true },
      { planNotifyAtPercent: [90] },
      { planResetNoticeMinutes: 30 },
    ]),
  )
})
