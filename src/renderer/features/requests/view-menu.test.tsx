import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { Requests } from './requests.tsx'

test('a filter with an order is saved under a name, applied and deleted', async () => {
  const { user, history } = renderView(<Requests openId={null} />, {
    gateway: new FakeGateway(),
    path: '/requests?status=failed&sort=cost',
  })
  const open = async () => {
    await user.click(screen.getByRole('button', { name: 'Views' }))
    return within(await screen.findByRole('dialog', { name: 'Saved views' }))
  }
  const menu = await open()
  await user.type(menu.getByLabelText('Save this view as'), 'Expensive failures{Enter}')
  expect(menu.getByRole('button', { name: 'Expensive failures' }).getAttribute('aria-current')).toBe('true')
  expect(localStorage.getItem('tollgate.request-views')).toContain('status=failed&sort=cost')
  await user.keyboard('{Escape}')
  await user.click(screen.getAllByRole('button', { name: 'Clear filter' })[0] ?? document.body)
  await waitFor(() => expect(history.at(-1)).toBe('/requests?sort=cost'))
  await user.click((await open()).getByRole('button', { name: 'Expensive failures' }))
  await waitFor(() => expect(history.at(-1)).toBe('/requests?status=failed&sort=cost'))
  await user.click((await open()).getByRole('button', { name: 'Delete the view Expensive failures' }))
  expect(screen.queryByRole('button', { name: 'Expensive failures' })).toBeNull()
})
