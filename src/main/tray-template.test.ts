import { expect, test, vi } from 'vitest'
import { type TrayActions, trayTemplate } from './tray-template.ts'

function testActions(state: ReturnType<TrayActions['state']>) {
  return { state: () => state, open: vi.fn(), revealLog: vi.fn(), quit: vi.fn() } satisfies TrayActions
}

const running = { baseUrl: 'http://127.0.0.1:8655', listenError: null }

test('shows the address, the spend of today and the cap warnings', () => {
  const actions = testActions(running)
  const warnings = [{ label: 'Editor: $1.00 left of $5.00', href: '/keys' as const }]
  const items = trayTemplate({ today: '$2.00', warnings }, actions)
  expect(items.map(({ label }) => label)).toEqual([
    'Running on 127.0.0.1:8655',
    'Spent today: $2.00',
    '⚠ Editor: $1.00 left of $5.00',
    undefined,
    'Open Tollgate',
    'Reveal Log',
    'Quit',
  ])
})

test('shows why the gateway does not listen', () => {
  const items = trayTemplate(
    { today: '$0.00', warnings: [] },
    testActions({ baseUrl: null, listenError: 'Port in use.' }),
  )
  expect(items[0]?.label).toBe('Port in use.')
})

test('every item calls its action', () => {
  const actions = testActions(running)
  const warnings = [{ label: 'Editor', href: '/keys' as const }]
  for (const { click } of trayTemplate({ today: '', warnings }, actions)) {
    if (click) Reflect.apply(click, undefined, [])
  }
  expect(actions.open.mock.calls).toEqual([['/keys'], []])
  expect(actions.revealLog).toHaveBeenCalledOnce()
  expect(actions.quit).toHaveBeenCalledOnce()
})
