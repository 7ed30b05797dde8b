import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderView } from '../testing/render.tsx'
import { Shortcuts } from './overlays.tsx'
import { setSingleKeys } from './use-shortcuts.ts'

const view = (
  <>
    <Shortcuts />
    <main>
      <input type="search" aria-label="Search" />
      <textarea aria-label="Message" />
    </main>
  </>
)

test('? lists the shortcuts, and no other key works until the list is closed', async () => {
  const { user, history } = renderView(view, { path: '/keys' })
  await user.keyboard('?')
  expect(screen.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeDefined()
  await user.keyboard('n')
  expect(history.at(-1)).toBe('/keys')
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test.each([
  ['/keys', '/keys?new=1'],
  ['/providers', '/providers?add=1'],
  ['/models', '/models?new=1'],
  ['/settings', '/settings'],
])('N in %s leads to %s', async (path, href) => {
  const { user, history } = renderView(view, { path })
  await user.keyboard('n')
  expect(history.at(-1)).toBe(href)
})

test('/ focuses the search field, and G with a number opens a view', async () => {
  const { user, history } = renderView(view, { path: '/keys' })
  await user.keyboard('g2')
  expect(history.at(-1)).toBe('/requests')
  await user.keyboard('/')
  expect(document.activeElement).toBe(screen.getByRole('searchbox'))
})

test('none of them works while something is typed', async () => {
  const { user, history } = renderView(view, { path: '/keys' })
  const message = screen.getByRole('textbox', { name: 'Message' })
  await user.type(message, 'n?/g2')
  expect(message).toHaveProperty('value', 'n?/g2')
  expect(history.at(-1)).toBe('/keys')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('single keys can be turned off', async () => {
  const { user, history } = renderView(view, { path: '/keys' })
  await user.keyboard('?')
  await user.click(screen.getByRole('switch', { name: 'Single-key shortcuts' }))
  await user.keyboard('{Escape}n')
  expect(history.at(-1)).toBe('/keys')
  setSingleKeys(true)
})
