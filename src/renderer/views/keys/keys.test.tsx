// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { keyRow } from '../../testing/rows.ts'
import { Keys } from './keys.tsx'

test('says why the keys could not be loaded, and loads them when asked again', async () => {
  const gateway = new FakeGateway().fail('listKeys', 'The database is locked.')
  const { user } = renderView(<Keys />, { gateway })
  expect(await screen.findByText('The database is locked.')).toBeDefined()
  gateway.on('listKeys', () => ({ data: [keyRow('key_1', { name: 'Editor' })] }))
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('row', { name: 'Editor' })).toBeDefined()
})

test('lists the keys, revoked ones last', async () => {
  const revoked = keyRow('key_old', { name: 'Old', revokedAt: '2026-11-02T09:00:00.000Z' })
  const gateway = new FakeGateway().on('listKeys', () => ({
    data: [revoked, keyRow('key_1', { name: 'Editor' })],
  }))
  renderView(<Keys />, { gateway })
  await screen.findByRole('row', { name: 'Editor' })
  const names = screen.getAllByRole('row').map((row) => row.getAttribute('aria-label'))
  expect(names).toEqual([null, 'Editor', 'Old'])
})

test('shows a key that a live event adds', async () => {
  const { gateway } = renderView(<Keys />)
  await screen.findByText('No keys yet')
  gateway.send({ type: 'key', key: keyRow('key_2', { name: 'CLI' }) })
  expect(await screen.findByRole('row', { name: 'CLI' })).toBeDefined()
})
