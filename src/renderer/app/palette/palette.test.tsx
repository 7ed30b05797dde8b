import { act, screen, waitFor } from '@testing-library/react'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { clearAdminKey, saveAdminKey } from '../../data/api.ts'
import { useTheme } from '../../kit/theme.ts'
import { currentChat, usePlayground } from '../../parts/chats/playground-store.ts'
import { closeLimitDialog, useLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { keyRow, modelRow, providerRow, requestRow } from '../../testing/rows.ts'
import { Sidebar } from '../app.tsx'
import { StartingWindow } from '../view-placeholder.tsx'
import { Palette, palettePanel } from './palette.tsx'
import { startPaletteShortcut } from './palette-state.ts'

beforeAll(async () => {
  startPaletteShortcut()
  await palettePanel.preload()
})

beforeEach(() => localStorage.clear())

const labels = () => screen.getAllByRole('option').map(({ textContent }) => textContent)

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

test('Enter runs what was typed last, also before it is shown', async () => {
  const { user, history } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  const field = screen.getByRole<HTMLInputElement>('combobox')
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'Models')
    field.dispatchEvent(new Event('input', { bubbles: true }))
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
  })
  await waitFor(() => expect(history.at(-1)).toBe('/models'))
})

test('one entry is always selected', async () => {
  const { user } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  for (const text of ['Models', 'x', '{Backspace}', '{Control>}a{/Control}Keys']) {
    await user.keyboard(text)
    await waitFor(() => expect(screen.getAllByRole('option', { selected: true })).toHaveLength(1))
    expect(screen.getAllByRole('option')[0]?.getAttribute('aria-selected')).toBe('true')
  }
  await user.keyboard('{Escape}')
})

test('typing filters the entries, and Enter runs the first one', async () => {
  const { user, history } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('reque')
  await waitFor(() => expect(labels().slice(0, 1)).toEqual(['Requests']))
  expect(labels()).not.toContain('Keys')
  await user.keyboard('{Enter}')
  expect(history.at(-1)).toBe('/requests')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the arrow keys choose an action', async () => {
  const { user, history } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('add prov')
  await waitFor(() => expect(labels()[0]).toBe('Add provider'))
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
  await user.keyboard('%')
  await waitFor(() =>
    expect(screen.getByRole('option', { name: 'No results.' }).getAttribute('aria-disabled')).toBe('true'),
  )
  await user.keyboard('{Escape}')
})

test('a tool is found by its name', async () => {
  const { user, history } = renderView(view)
  await user.keyboard('{Control>}k{/Control}')
  expect(screen.queryByRole('option', { name: /Claude Code/ })).toBeNull()
  await user.keyboard('claude code')
  await waitFor(() => expect(labels()[0]).toBe('Connect Claude Code'))
  await user.keyboard('{Enter}')
  expect(history.at(-1)).toBe('/connect?tool=claude-code')
})

const gatewayWithRecords = () =>
  new FakeGateway()
    .on('listKeys', () => ({ data: [keyRow('key_1', { name: 'Support bot', spendLimitUsd: 5 })] }))
    .on('listModels', () => modelList([modelRow('gpt-5.5', { provider: 'openai' })]))
    .on('listProviders', () => ({ data: [providerRow('openai', { name: 'OpenAI' })] }))
    .on('listRequests', () => ({
      data: [requestRow('req_00001', 1, { keyName: 'Support bot', model: 'gpt-5.5' })],
      nextCursor: null,
    }))

test('before anything is typed, recent keys and requests come first, with a cap that is nearly spent', async () => {
  const lastUsedAt = (minute: number) => `2026-05-01T09:0${minute}:00.000Z`
  const key = (id: number, more = {}) => keyRow(`key_${id}`, { name: `Key ${id}`, ...more })
  const gateway = gatewayWithRecords().on('listKeys', () => ({
    data: [
      key(1, { lastUsedAt: lastUsedAt(1), spendLimitUsd: 5, spendUsd: 4.9 }),
      key(2, { lastUsedAt: lastUsedAt(2), spendLimitUsd: 5, spendUsd: 1 }),
      key(3, { lastUsedAt: lastUsedAt(3) }),
      key(4, { lastUsedAt: lastUsedAt(4) }),
      key(5, { lastUsedAt: null }),
    ],
  }))
  const { user } = renderView(view, { gateway })
  await user.keyboard('{Control>}k{/Control}')
  await waitFor(() => expect(labels().slice(0, 4)).toEqual(['Raise cap of Key 1', 'Key 2', 'Key 3', 'Key 4']))
  expect(labels()[4]).toMatch(/^gpt-5\.5/)
  await user.keyboard('{Escape}')
})

test('a key is found by its name, with what is done with it', async () => {
  const { user, history } = renderView(view, { gateway: gatewayWithRecords() })
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('support')
  await waitFor(() =>
    expect(labels().slice(0, 3)).toEqual([
      'Support bot',
      'Raise cap of Support bot',
      'View requests of Support bot',
    ]),
  )
  await user.click(screen.getByRole('option', { name: 'Raise cap of Support bot' }))
  expect(useLimitDialog.getState().editing).toEqual({ keyId: 'key_1', kind: { per: 'lifetime' } })
  closeLimitDialog()
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('support')
  await user.click(await screen.findByRole('option', { name: 'View requests of Support bot' }))
  expect(history.at(-1)).toBe('/requests?key=key_1')
})

test.each([
  ['gpt55', /^gpt-5.5OpenAI$/, '/models?edit=gpt-5.5'],
  ['openai', /^OpenAI$/, '/providers?edit=openai'],
  ['retention', /^Keep requests for/, '/settings#keep-requests-for'],
  ['req_00001', /^gpt-5.5Support bot/, '/requests/req_00001'],
  ['req_abcdef', /^Open request req_abcdef$/, '/requests/req_abcdef'],
  ['no such thing', /^Search all requests for/, '/requests?q=no%20such%20thing'],
  ['docs', /^Get started$/, '/help/start'],
])('“%s” leads to its place', async (text, name, href) => {
  const { user, history } = renderView(view, { gateway: gatewayWithRecords() })
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard(text)
  await user.click(await screen.findByRole('option', { name }))
  expect(history.at(-1)).toBe(href)
})

test('a model can be opened in a new chat', async () => {
  const { user, history } = renderView(view, { gateway: gatewayWithRecords() })
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('gpt playground')
  await user.click(await screen.findByRole('option', { name: /^Open gpt-5.5 in Playground/ }))
  expect(history.at(-1)).toBe('/playground')
  expect(currentChat(usePlayground.getState())?.models).toEqual(['gpt-5.5'])
})

test('what was used last comes first the next time', async () => {
  const { user } = renderView(view, { gateway: gatewayWithRecords() })
  for (const text of ['support', 'gpt55']) {
    await user.keyboard('{Control>}k{/Control}')
    await user.keyboard(text)
    await waitFor(() => expect(labels()[0]).toMatch(/Support bot|gpt/))
    await user.keyboard('{Enter}')
  }
  await user.keyboard('{Control>}k{/Control}')
  await waitFor(() => expect(labels().slice(0, 2)).toEqual(['gpt-5.5OpenAI', 'Support bot']))
  expect(labels().filter((label) => label === 'Support bot')).toHaveLength(1)
  await user.keyboard('{Escape}')
})

test('Tab shows the actions of an entry, which can be typed, and Escape leads back', async () => {
  const { user, history } = renderView(view, { gateway: gatewayWithRecords() })
  await user.keyboard('{Control>}k{/Control}')
  await user.keyboard('support')
  await waitFor(() => expect(labels()[0]).toBe('Support bot'))
  await user.keyboard('{Tab}')
  expect(labels()).toEqual(['Open Support bot', 'Raise cap', 'View requests', 'View sessions', 'Copy ID'])
  await user.keyboard('{Escape}')
  await waitFor(() => expect(labels()[0]).not.toBe('Open Support bot'))
  await user.keyboard('support')
  await waitFor(() => expect(labels()[0]).toBe('Support bot'))
  await user.keyboard('{Tab}sess')
  await waitFor(() => expect(labels()).toEqual(['View sessions']))
  await user.keyboard('{Enter}')
  expect(history.at(-1)).toBe('/sessions?key=key_1')
})

test('the secondary button shows the actions of a request', async () => {
  const { user, history } = renderView(view, { gateway: gatewayWithRecords() })
  await user.keyboard('{Control>}k{/Control}')
  const request = await screen.findByRole('option', { name: /^gpt-5.5Support bot/ })
  await user.pointer({ keys: '[MouseRight]', target: request })
  await user.click(screen.getByRole('option', { name: 'View requests of its model' }))
  expect(history.at(-1)).toBe('/requests?model=gpt-5.5')
})
