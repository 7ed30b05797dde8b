// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { beforeAll, expect, test } from 'vitest'
import { clearAdminKey, saveAdminKey } from '../admin-key.ts'
import { renderView } from '../testing/render.tsx'
import { useTheme } from '../theme.ts'
import { Palette, palettePanel } from './palette.tsx'
import { startPaletteShortcut } from './palette-shortcut.ts'
import { Sidebar } from './sidebar.tsx'
import { StartingWindow } from './starting-window.tsx'

beforeAll(async () => {
  startPaletteShortcut()
  await palettePanel.preload()
})

const view = (
  <>
    <Sidebar />
    <Palette />
  </>
)

test('Ctrl+K opens it with the focus in the search field, and closes it again', async () => {
  const { user } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  expect(screen.getByRole('dialog', { name: 'Search and commands' })).toBeDefined()
  expect(document.activeElement).toBe(screen.getByRole('combobox'))
  await user.keyboard('{Control>}k{/Control}')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('Ctrl+K opens it as soon as the app is loaded, when it is pressed before', async () => {
  saveAdminKey('of the last session')
  const { user, rerender } = renderView(<StartingWindow />)
  await user.keyboard('{Control>}k{/Control}')
  rerender(view)
  expect(screen.getByRole('dialog', { name: 'Search and commands' })).toBeDefined()
  await user.keyboard('{Control>}k{/Control}')
  expect(screen.queryByRole('dialog')).toBeNull()
  clearAdminKey()
})

test('Escape closes it and returns the focus to the button that opened it', async () => {
  const { user } = renderView(view)
  await user.click(screen.getByRole('button', { name: 'Search and commands' }))
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  const opener = screen.getByRole('button', { name: 'Search and commands' })
  await waitFor(() => expect(document.activeElement).toBe(opener))
})

test('typing filters the entries, and Enter runs the first one', async () => {
  const { user, history } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('reque')
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['Requests'])
  await user.keyboard('{Enter}')
  expect(history.at(-1)).toBe('/requests')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the arrow keys choose an action', async () => {
  const { user, history } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('add prov')
  await user.keyboard('{ArrowDown}{ArrowUp}{Enter}')
  expect(history.at(-1)).toBe('/providers?add=1')
})

test('it changes the theme', async () => {
  const { user } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  await user.click(screen.getByRole('option', { name: 'Use the dark theme' }))
  expect(useTheme.getState().theme).toBe('dark')
  expect(document.documentElement.dataset.theme).toBe('dark')
})

test('it shows a message when nothing matches', async () => {
  const { user } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('zzzz')
  expect(screen.getByRole('option', { name: 'No results.' }).getAttribute('aria-disabled')).toBe('true')
  await user.keyboard('{Escape}')
})

test('a tool is found by its name', async () => {
  const { user, history } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  expect(screen.queryByRole('option', { name: /Claude Code/ })).toBeNull()
  await user.keyboard('claude code')
  expect(screen.getAllByRole('option')[0]?.textContent).toBe('Connect Claude Code')
  await user.keyboard('{Enter}')
  expect(history.at(-1)).toBe('/connect?tool=claude-code')
})
