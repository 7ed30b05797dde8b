import { expect, test, vi } from 'vitest'
import { type TrayActions, trayTemplate } from './tray-template.ts'

function testActions(state: ReturnType<TrayActions['state']>) {
  return {
    state: () => state,
    open: vi.fn(),
    resume: vi.fn(),
    toggleMeter: vi.fn(),
    revealLog: vi.fn(),
    quit: vi.fn(),
  } satisfies TrayActions
}

const running = { baseUrl: 'http://127.0.0.1:8655', listenError: null }

test('shows the address, the spend of today and the cap warnings', () => {
  const actions = testActions(running)
  const warnings = [{ label: 'Editor: $1.00 left of $5.00', href: '/keys' as const }]
  const items = trayTemplate({ today: '$2.00', warnings, plans: [], running: null, isPaused: false }, actions)
  expect(items.map(({ label }) => label)).toEqual([
    'Running on 127.0.0.1:8655',
    'Spent today: $2.00',
    '⚠ Editor: $1.00 left of $5.00',
    undefined,
    'Open Tollgate',
    'Taximeter',
    'Pause Everything…',
    'Reveal Log',
    'Quit',
  ])
})

test('shows why the gateway does not listen', () => {
  const items = trayTemplate(
    { today: '$0.00', warnings: [], plans: [], running: null, isPaused: false },
    testActions({ baseUrl: null, listenError: 'Port in use.' }),
  )
  expect(items[0]?.label).toBe('Port in use.')
})

test('running requests are named with their cost so far, which opens the taximeter', () => {
  const actions = testActions(running)
  const spend = {
    today: '$2.42',
    warnings: [],
    plans: [],
    running: '2 running, $0.42 so far',
    isPaused: false,
  }
  const item = trayTemplate(spend, actions).find(({ label }) => label === spend.running)
  if (item?.click) Reflect.apply(item.click, undefined, [])
  expect(actions.toggleMeter).toHaveBeenCalledOnce()
})

test('every item calls its action', () => {
  const actions = testActions(running)
  const warnings = [{ label: 'Editor', href: '/keys' as const }]
  for (const { click } of trayTemplate(
    { today: '', warnings, plans: [], running: null, isPaused: false },
    actions,
  )) {
    if (click) Reflect.apply(click, undefined, [])
  }
  expect(actions.open.mock.calls).toEqual([['/keys'], [], ['/?pause=everything']])
  expect(actions.revealLog).toHaveBeenCalledOnce()
  expect(actions.toggleMeter).toHaveBeenCalledOnce()
  expect(actions.quit).toHaveBeenCalledOnce()
})

test('says that everything is paused, and resumes it', () => {
  const actions = testActions(running)
  const items = trayTemplate({ today: '', warnings: [], plans: [], running: null, isPaused: true }, actions)
  expect(items[0]?.label).toBe('Everything is paused')
  const resume = items.find(({ label }) => label === 'Resume')?.click
  if (resume) Reflect.apply(resume, undefined, [])
  expect(actions.resume).toHaveBeenCalledOnce()
})
