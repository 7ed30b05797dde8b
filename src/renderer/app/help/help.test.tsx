import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { HELP_PAGES } from '../../../shared/desktop/views.ts'
import { toHeadingId, toHelpLink } from '../../parts/help/help-pages.ts'
import { renderView } from '../../testing/render.tsx'
import { Help } from './help.tsx'

test.each(HELP_PAGES)('the page “$name” has a text', async ({ name, href }) => {
  renderView(<Help />, { path: href })
  const current = screen.getByRole('link', { current: 'page' })
  expect(current.textContent).toBe(name)
  await waitFor(() =>
    expect(screen.getByRole('main').querySelector('section')?.textContent).toMatch(/.{100}/s),
  )
})

test('links between documents lead to the pages of the help', async () => {
  const { user, history } = renderView(<Help />, { path: '/help/start' })
  const page = screen.getByRole('main').querySelector('section')
  if (!page) throw new Error('no page')
  await user.click(await within(page).findByRole('link', { name: 'How costs are computed' }))
  expect(history.at(-1)).toBe('/help/money')
  expect(toHelpLink('docs/api.md#the-sandbox')).toBe('/help/api#the-sandbox')
  expect(toHelpLink('architecture.md')).toBeNull()
  expect(toHeadingId('The sandbox')).toBe('the-sandbox')
})

test('the pages are in groups, and found by a word of their text', async () => {
  const { user } = renderView(<Help />, { path: '/help/start' })
  const nav = within(screen.getByRole('navigation', { name: 'Help' }))
  expect(nav.getByRole('list', { name: 'Costs and limits' }).textContent).toContain('Receipts')
  await user.type(nav.getByRole('searchbox'), 'reconciliation ledger-that-is-nowhere')
  expect(nav.queryAllByRole('link')).toEqual([])
  expect(nav.getByText('No pages match.')).toBeDefined()
  await user.clear(nav.getByRole('searchbox'))
  await user.type(nav.getByRole('searchbox'), 'host.docker.internal')
  expect(nav.getAllByRole('link').map(({ textContent }) => textContent)).toContain('Connecting tools')
})
