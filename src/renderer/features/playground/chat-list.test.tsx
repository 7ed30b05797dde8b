import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { createChat, createExchange } from '../../parts/chats/testing/chats.ts'
import { renderPlayground } from './testing/render-playground.tsx'

const HOUR_MS = 3_600_000

async function renderChats() {
  const names = ['whales', 'railways', 'bridges']
  const chats = names.map((name, index) =>
    createChat([createExchange(null, name, { text: `All about ${name}.` })], {
      models: ['sandbox-small'],
      startedAt: Date.now() - index * 48 * HOUR_MS,
    }),
  )
  const view = await renderPlayground(undefined, ...chats)
  await view.user.click(screen.getByRole('button', { name: 'Chats' }))
  const panel = screen.getByRole('complementary', { name: 'Chats' })
  const choose = async (chat: string, item: string) => {
    await view.user.click(within(panel).getByRole('button', { name: `Options for ${chat}` }))
    await view.user.click(await screen.findByRole('menuitem', { name: item }))
  }
  const titles = () => [...panel.querySelectorAll('[data-row]')].map((row) => row.textContent)
  return { ...view, panel, choose, titles }
}

test('chats are grouped by day, and the current one is marked', async () => {
  const { panel, titles } = await renderChats()
  expect(titles()).toEqual(['whales', 'railways', 'bridges'])
  const today = within(panel).getByRole('region', { name: 'Today' })
  expect(within(today).getByRole('button', { name: 'whales' }).getAttribute('aria-current')).toBe('true')
  expect(within(panel).getAllByRole('region')).toHaveLength(3)
})

test('a chat is renamed', async () => {
  const { panel, choose, titles, user } = await renderChats()
  await choose('bridges', 'Rename')
  const field = await screen.findByRole('textbox', { name: 'Name of the chat' })
  await user.clear(field)
  await user.type(field, 'Bridges of Rome{Enter}')
  // A focus that comes later would close the menu.
  const renamed = within(panel).getByRole('button', { name: 'Bridges of Rome' })
  await waitFor(() => expect(document.activeElement).toBe(renamed))
  expect(titles()).toEqual(['whales', 'railways', 'Bridges of Rome'])
  expect(localStorage.getItem('tollgate.chats')).toContain('Bridges of Rome')
})

test('the keys of the menu of a chat do not move the focus in the list', async () => {
  const { panel, user } = await renderChats()
  await user.click(within(panel).getByRole('button', { name: 'Options for bridges' }))
  await screen.findByRole('menu')
  await user.keyboard('{End}{Home}')
  expect(document.activeElement?.getAttribute('role')).toBe('menuitem')
})

test('Escape cancels renaming and leaves the panel open', async () => {
  const { choose, titles, user } = await renderChats()
  await choose('bridges', 'Rename')
  await user.type(await screen.findByRole('textbox', { name: 'Name of the chat' }), 'x{Escape}')
  expect(titles()).toEqual(['whales', 'railways', 'bridges'])
  expect(screen.getByRole('complementary', { name: 'Chats' })).toBeDefined()
})

test('a deleted chat can be restored', async () => {
  const { choose, titles } = await renderChats()
  await choose('whales', 'Delete')
  expect(titles()).toEqual(['railways', 'bridges'])
  const undo = await screen.findByRole('button', { name: 'Undo' })
  // theme.css, which is not loaded here, lets it be clicked.
  act(() => undo.click())
  expect(titles()).toEqual(['whales', 'railways', 'bridges'])
  expect(
    usePlayground.getState().chats.find(({ id }) => id === usePlayground.getState().currentId)?.exchanges,
  ).toHaveLength(1)
})

test('a right click opens the menu of a chat', async () => {
  const { panel, titles, user } = await renderChats()
  await user.pointer({
    target: within(panel).getByRole('button', { name: 'railways' }),
    keys: '[MouseRight]',
  })
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }))
  expect(titles()).toEqual(['whales', 'bridges'])
})

test('arrow keys move through the list, F2 renames and Delete deletes', async () => {
  const { panel, titles, user } = await renderChats()
  within(panel).getByRole('button', { name: 'whales' }).focus()
  await user.keyboard('{ArrowDown}{F2}')
  await user.keyboard('Trains{Enter}')
  expect(titles()).toEqual(['whales', 'Trains', 'bridges'])
  // The row has the focus again in the next frame.
  const renamed = within(panel).getByRole('button', { name: 'Trains' })
  await waitFor(() => expect(document.activeElement).toBe(renamed))
  await user.keyboard('{End}{Delete}')
  expect(titles()).toEqual(['whales', 'Trains'])
})

test('marked chats are deleted together, and put back together', async () => {
  const { panel, titles, user } = await renderChats()
  const row = (name: string) => within(panel).getByRole('button', { name })
  const selection = () => within(panel).queryByText(/selected$/)?.textContent
  row('whales').focus()
  await user.keyboard('{Control>} {/Control}')
  expect(selection()).toBe('1 selected')
  await user.keyboard('{Escape}')
  expect(selection()).toBeUndefined()
  await user.keyboard('{Shift>}{ArrowDown}{/Shift}')
  expect(selection()).toBe('2 selected')
  expect(row('railways').getAttribute('aria-description')).toBe('Selected')
  // The chat is marked instead of opened.
  await user.keyboard('{Control>}')
  await user.click(row('bridges'))
  await user.click(row('whales'))
  await user.keyboard('{/Control}')
  expect(selection()).toBe('2 selected')
  row('railways').focus()
  await user.keyboard('{Delete}')
  expect(titles()).toEqual(['whales'])
  expect(selection()).toBeUndefined()
  expect(document.activeElement).toBe(row('whales'))
  const undo = await screen.findByRole('button', { name: 'Undo' })
  act(() => undo.click())
  expect(titles()).toEqual(['whales', 'railways', 'bridges'])
})

test('Escape closes the panel that covers the conversation, and its button has the focus', async () => {
  const { panel, user } = await renderChats()
  within(panel).getByRole('button', { name: 'whales' }).focus()
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('complementary', { name: 'Chats' })).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Chats' }))
})

test('an opened chat closes the panel that covers it', async () => {
  const { panel, user } = await renderChats()
  await user.click(within(panel).getByRole('button', { name: 'railways' }))
  expect(screen.queryByRole('complementary', { name: 'Chats' })).toBeNull()
  expect(screen.getByText('All about railways.')).toBeDefined()
})
