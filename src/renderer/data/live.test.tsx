import { screen, waitFor } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Keys } from '../features/keys/keys.tsx'
import { Providers } from '../features/providers/providers.tsx'
import { useConnection } from '../kit/connection.ts'
import { installDesktop, removeDesktop } from '../testing/desktop.ts'
import { FakeGateway } from '../testing/fake-gateway.ts'
import { passTime } from '../testing/pass-time.ts'
import { renderView } from '../testing/render.tsx'
import { keyRow, providerRow, requestRow } from '../testing/rows.ts'
// Loaded after the first numbers.
import './request-log.ts'

const connection = () => useConnection.getState().state

test('after a lost connection everything is read again', async () => {
  const gateway = new FakeGateway().on('listKeys', () => ({ data: [keyRow('key_1', { name: 'Editor' })] }))
  renderView(<Keys />, { gateway })
  await screen.findByRole('row', { name: 'Editor' })
  await waitFor(() => expect(connection()).toBe('live'))

  gateway.disconnect()
  await waitFor(() => expect(connection()).toBe('lost'))
  expect(screen.getByRole('row', { name: 'Editor' })).toBeDefined()

  const before = gateway.calls.length
  gateway.on('listKeys', () => ({ data: [keyRow('key_2', { name: 'CLI' })] }))
  gateway.restore()
  expect(await screen.findByRole('row', { name: 'CLI' })).toBeDefined()
  expect(connection()).toBe('live')
  await waitFor(() => expect(gateway.listCalls('getUsage')).toHaveLength(6))
  const sent = gateway.calls.slice(before).map(({ operation }) => operation)
  expect(sent.toSorted()).toEqual([
    ...['getAccount', 'getGateway', 'getSettings', 'getUsage', 'getUsage', 'getUsage'],
    ...[
      'listActivity',
      'listKeys',
      'listModels',
      'listPlans',
      'listProviders',
      'listRequests',
      'streamEvents',
    ],
  ])
})

test('the reports of crashes are read at the first connection, too', async () => {
  onTestFinished(removeDesktop)
  const listCrashes = vi.fn(() => Promise.resolve([]))
  installDesktop({ listCrashes })
  renderView(<Keys />, { gateway: new FakeGateway() })
  await waitFor(() => expect(connection()).toBe('live'))
  expect(listCrashes).toHaveBeenCalledOnce()
})

test('what could not be read at the start is read once the gateway responds', async () => {
  const gateway = new FakeGateway().on('listKeys', () => ({ data: [keyRow('key_1', { name: 'Editor' })] }))
  gateway.disconnect()
  renderView(<Keys />, { gateway })
  await waitFor(() => expect(connection()).toBe('lost'))
  gateway.restore()
  expect(await screen.findByRole('row', { name: 'Editor' })).toBeDefined()
})

test('a failing refresh keeps the data on the screen', async () => {
  const gateway = new FakeGateway().on('listKeys', () => ({ data: [keyRow('key_1', { name: 'Editor' })] }))
  renderView(<Keys />, { gateway })
  await screen.findByRole('row', { name: 'Editor' })
  gateway.fail('listKeys', 'The database is locked.')
  gateway.disconnect()
  gateway.restore()
  await waitFor(() => expect(gateway.listCalls('listKeys')).toHaveLength(2))
  expect(screen.getByRole('row', { name: 'Editor' })).toBeDefined()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a key that changes while the keys are read is newer than the response', async () => {
  const gateway = new FakeGateway()
  const { answer } = gateway.hold('listKeys')
  renderView(<Keys />, { gateway })
  await waitFor(() => expect(connection()).toBe('live'))
  gateway.send({ type: 'key', key: keyRow('key_1', { name: 'Renamed' }) })
  // The event was received, but there is no list yet that it could change.
  await new Promise((resolve) => setTimeout(resolve, 100))
  answer({ data: [keyRow('key_1', { name: 'Old name' }), keyRow('key_2', { name: 'Other' })] })
  expect(await screen.findByRole('row', { name: 'Renamed' })).toBeDefined()
  expect(screen.getByRole('row', { name: 'Other' })).toBeDefined()
  expect(screen.queryByRole('row', { name: 'Old name' })).toBeNull()
})

test('many requests that end cause one read of the totals per second', async () => {
  const gateway = new FakeGateway()
  renderView(<Keys />, { gateway })
  await screen.findByText('No keys yet')
  await waitFor(() => expect(connection()).toBe('live'))
  vi.useFakeTimers()
  for (let second = 0; second < 20; second += 1) {
    gateway.send({ type: 'request', request: requestRow(`req_${second}`, second) })
    await passTime(10)
  }
  await passTime(2000)
  expect(gateway.listCalls('getUsage')).toHaveLength(6)
})

test('several events about providers cause one read', async () => {
  const gateway = new FakeGateway()
  renderView(<Providers />, { gateway })
  await screen.findByText('No providers yet')
  await waitFor(() => expect(connection()).toBe('live'))
  gateway.on('listProviders', () => ({ data: [providerRow('openai', { name: 'OpenAI' })] }))
  for (let count = 0; count < 10; count += 1) gateway.send({ type: 'providers' })
  expect(await screen.findByRole('listitem', { name: 'OpenAI' })).toBeDefined()
  expect(gateway.listCalls('listProviders')).toHaveLength(2)
})
