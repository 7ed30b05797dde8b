import { waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { Connect } from '../features/connect/connect.tsx'
import { Estimator } from '../features/estimator/estimator.tsx'
import { Keys } from '../features/keys/keys.tsx'
import { Models } from '../features/models/models.tsx'
import { Overview } from '../features/overview/overview.tsx'
import { Providers } from '../features/providers/providers.tsx'
import { Requests } from '../features/requests/requests.tsx'
import { SettingsView } from '../features/settings/settings.tsx'
import { Usage } from '../features/usage/usage.tsx'
import { FakeGateway } from '../testing/fake-gateway.ts'
import { renderView } from '../testing/render.tsx'
import { requestRow } from '../testing/rows.ts'

// In the first minutes of a day there is nothing to compare it with.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T12:30:00Z') })
  return () => vi.useRealTimers()
})

/** The reads of the window when it opens, whichever view it shows. Usage takes three requests. */
const START = [
  'getAccount',
  'getGateway',
  'getSettings',
  ...['getUsage', 'getUsage', 'getUsage'],
  ...['listActivity', 'listKeys', 'listModels', 'listPlans', 'listProviders', 'listRequests', 'streamEvents'],
]

/** The totals, and the projects of the filter, which Usage has too. */
const LOG = ['getRequestTotals', 'getUsage', 'listRunningRequests']

/** Overview reads the periods before today, this month and the range of the chart, and those before its columns. */
const COMPARED = ['getUsage', 'getUsage', 'getUsage', 'getUsage']

const views: [string, string, ReactNode, string[]][] = [
  [
    'Overview',
    '/',
    <Overview key="" />,
    ['getHistory', 'getUsage', ...COMPARED, 'listRunningRequests', 'listPlanStates', 'listRules'],
  ],
  ['Requests', '/requests', <Requests key="" openId={null} />, LOG],
  [
    'Requests with a filter',
    '/requests?status=failed',
    <Requests key="" openId={null} />,
    [...LOG, 'listRequests'],
  ],
  ['one request', '/requests/req_1', <Requests key="" openId="req_1" />, [...LOG, 'getRequest']],
  // Its rows, their trends, the period before by row and by day, and the projects of the filter.
  [
    'Usage',
    '/usage',
    <Usage key="" />,
    ['getCaching', ...COMPARED, 'getHistory', 'getUsage', 'listSessions'],
  ],
  ['Keys', '/keys', <Keys key="" />, []],
  ['Providers', '/providers', <Providers key="" />, []],
  ['Models', '/models', <Models key="" />, ['getPrices']],
  ['Connect', '/connect', <Connect key="" />, []],
  ['Estimator', '/estimator', <Estimator key="" />, ['getUsage']],
  [
    'Settings',
    '/settings',
    <SettingsView key="" />,
    ['getHistory', 'getNetwork', 'getTelemetry', 'getWebhook', 'listBackups', 'listRules'],
  ],
]

test.each(views)('%s reads nothing twice', async (_, path, view, own) => {
  const gateway = new FakeGateway().on('getRequest', () => requestRow('req_1', 1))
  renderView(view, { path, gateway })
  const expected = [...START, ...own].toSorted()
  const sent = () => gateway.calls.map(({ operation }) => operation as string).toSorted()
  await waitFor(() => expect(sent()).toEqual(expected))
  // Time for a request that should not happen.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(sent()).toEqual(expected)
})

/** Small answers, for parts that are loaded after the first ones. */
const LATE = ['getHistory', 'streamEvents', 'listRunningRequests', 'listPlanStates', 'listRules']

test('totals over the log are read last', async () => {
  const { gateway } = renderView(<Overview />)
  await waitFor(() => expect(gateway.listCalls('getUsage')).toHaveLength(8))
  const sent = gateway.calls.map(({ operation }) => operation).filter((name) => !LATE.includes(name))
  expect(new Set(sent.slice(-8))).toEqual(new Set(['getUsage']))
})
