import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { keyRow } from '../../testing/rows.ts'
import { Keys } from './keys.tsx'

const editor = keyRow('key_1', { name: 'Editor', spendUsd: 4.5, spendLimitUsd: 5 })
const listing = (...data: KeyMetadata[]) => new FakeGateway().on('listKeys', () => ({ data }))
const row = (name: string) => screen.findByRole('row', { name })

test('keys are searched, also by the end of their secret, and sorted by a column', async () => {
  const other = keyRow('key_2', {
    name: 'Agent',
    spendUsd: 9,
    secretHint: 'aB3x',
    createdAt: '2026-11-02T00:00:00.000Z',
  })
  const { user, history } = renderView(<Keys />, {
    gateway: listing(editor, other),
    path: '/keys',
  })
  const names = () =>
    screen
      .getAllByRole('row')
      .slice(1)
      .map((one) => one.getAttribute('aria-label'))
  await row('Editor')
  expect(names()).toEqual(['Agent', 'Editor'])
  await user.click(screen.getByRole('button', { name: 'Spend' }))
  expect(screen.getByRole('columnheader', { name: 'Spend' }).getAttribute('aria-sort')).toBe('descending')
  expect(names()).toEqual(['Agent', 'Editor'])
  await user.click(screen.getByRole('button', { name: 'Spend' }))
  expect(names()).toEqual(['Editor', 'Agent'])
  expect(history.at(-1)).toBe('/keys?sort=spend')
  await user.type(screen.getByLabelText('Search keys'), 'tg-…aB3x')
  expect(names()).toEqual(['Agent'])
  expect(screen.getByText('1 key')).toBeDefined()
})

test('revoked keys are shown on demand, after the others', async () => {
  const old = keyRow('key_0', {
    name: 'Old',
    revokedAt: '2026-11-02T00:00:00.000Z',
    createdAt: '2026-11-09T00:00:00.000Z',
  })
  const { user } = renderView(<Keys />, { gateway: listing(editor, old) })
  await row('Editor')
  expect(screen.queryByRole('row', { name: 'Old' })).toBeNull()
  await user.click(screen.getByRole('switch', { name: 'Show 1 revoked' }))
  expect(screen.getAllByRole('row').map((one) => one.getAttribute('aria-label'))).toEqual([
    null,
    'Editor',
    'Old',
  ])
  await user.click(screen.getByRole('button', { name: 'Old' }))
  expect(await screen.findByText(/^This key is revoked/)).toBeDefined()
  expect(screen.queryByLabelText('Name')).toBeNull()
})
