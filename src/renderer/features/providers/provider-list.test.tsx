import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { providerRow } from '../../testing/rows.ts'
import { Providers } from './providers.tsx'

const findRow = (name: string) => screen.findByRole('listitem', { name })
const names = () => screen.getAllByRole('button', { name: /^Move / }).map((handle) => handle.dataset.handle)

function createGatewayWithThree() {
  const priorities = new Map([
    ['openai', 100],
    ['groq', 100],
    ['mistral', 100],
  ])
  const list = () =>
    [...priorities]
      .map(([id, priority]) => providerRow(id, { priority }))
      .toSorted((a, b) => a.priority - b.priority)
  return new FakeGateway()
    .on('listProviders', () => ({ data: list() }))
    .on('putProvider', ({ id, body }) => {
      priorities.set(id, (body as { priority: number }).priority)
      return providerRow(id)
    })
}

test('the order is changed with the arrow keys on the handle, which keeps the focus, and is announced', async () => {
  const gateway = createGatewayWithThree()
  const { user } = renderView(<Providers />, { gateway })
  await findRow('openai')
  screen.getByRole('button', { name: 'Move mistral' }).focus()
  await user.keyboard('{ArrowUp}')
  expect(names()).toEqual(['openai', 'mistral', 'groq'])
  expect(screen.getByText('mistral is now number 2 of 3.')).toBeDefined()
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Move mistral')
  await waitFor(() => expect(gateway.listCalls('putProvider')).toHaveLength(3))
  expect(gateway.listCalls('putProvider').map(({ id, body }) => [id, body])).toEqual([
    ['openai', { priority: 1 }],
    ['mistral', { priority: 2 }],
    ['groq', { priority: 3 }],
  ])
  await waitFor(() => expect(names()).toEqual(['openai', 'mistral', 'groq']))
})

test('the order is changed from the menu of a row, and only as far as the ends', async () => {
  const gateway = createGatewayWithThree()
  const { user } = renderView(<Providers />, { gateway })
  await findRow('openai')
  await user.click(screen.getByRole('button', { name: 'More actions for openai' }))
  expect((await screen.findByRole('menuitem', { name: 'Move up' })).getAttribute('aria-disabled')).toBe(
    'true',
  )
  await user.click(screen.getByRole('menuitem', { name: 'Move down' }))
  expect(names()).toEqual(['groq', 'openai', 'mistral'])
})

test('a row is dragged to another place, and stays where it was when the drag is given up', async () => {
  const gateway = createGatewayWithThree()
  renderView(<Providers />, { gateway })
  await findRow('openai')
  const handle = screen.getByRole('button', { name: 'Move mistral' })
  const dataTransfer = { effectAllowed: '', setDragImage: () => undefined }
  fireEvent.dragStart(handle, { dataTransfer })
  fireEvent.dragOver(await findRow('openai'), { dataTransfer })
  expect(names()).toEqual(['mistral', 'openai', 'groq'])
  fireEvent.dragEnd(handle, { dataTransfer })
  expect(names()).toEqual(['openai', 'groq', 'mistral'])
  expect(gateway.listCalls('putProvider')).toEqual([])
  fireEvent.dragStart(handle, { dataTransfer })
  fireEvent.dragOver(await findRow('openai'), { dataTransfer })
  fireEvent.drop(await findRow('openai'), { dataTransfer })
  expect(names()).toEqual(['mistral', 'openai', 'groq'])
  await waitFor(() => expect(gateway.listCalls('putProvider')).toHaveLength(3))
})

test('marked providers are disabled together, and enabled again by undo', async () => {
  const enabled = new Map([
    ['openai', true],
    ['groq', true],
    ['mistral', true],
  ])
  const gateway = new FakeGateway()
    .on('listProviders', () => ({ data: [...enabled].map(([id, on]) => providerRow(id, { enabled: on })) }))
    .on('putProvider', ({ id, body }) => {
      enabled.set(id ?? '', (body as { enabled: boolean }).enabled)
      return providerRow(id ?? '')
    })
  const { user } = renderView(<Providers />, { gateway })
  const name = within(await findRow('openai')).getByRole('heading')
  await user.keyboard('{Control>}')
  await user.click(name)
  await user.keyboard('{/Control}{Shift>}')
  await user.click(within(await findRow('groq')).getByRole('heading'))
  await user.keyboard('{/Shift}')
  expect(screen.getByText('2 selected')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Disable' }))
  await waitFor(() => expect([...enabled.values()]).toEqual([false, false, true]))
  const undo = await screen.findByRole('button', { name: 'Undo' })
  undo.click()
  await waitFor(() => expect([...enabled.values()]).toEqual([true, true, true]))
  screen.getByRole('button', { name: 'Move groq' }).focus()
  await user.keyboard('{Escape}')
  expect(screen.queryByText('2 selected')).toBeNull()
})

test('a plan is added without anything to enter, and its row has nothing to edit or test', async () => {
  let configured = false
  const plan = () => providerRow('claude-plan', { name: 'Claude plan', configured, modelCount: 0 })
  const gateway = new FakeGateway()
    .on('listProviders', () => ({ data: [plan()] }))
    .on('putProvider', () => {
      configured = true
      return plan()
    })
  const { user } = renderView(<Providers />, { gateway })
  await user.click((await screen.findAllByRole('button', { name: /Add provider/ }))[0] ?? document.body)
  await user.click(await screen.findByRole('button', { name: 'Claude plan' }))
  expect(screen.getByText('tollgate setup claude-code --plan')).toBeDefined()
  expect(screen.queryByRole('textbox')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Add' }))
  expect(gateway.listCalls('putProvider')).toMatchObject([{ id: 'claude-plan', body: { enabled: true } }])
  const row = within(await findRow('Claude plan'))
  expect(row.getByText(/^Paid by your Claude plan/)).toBeDefined()
  expect(row.queryByRole('button', { name: 'Test' })).toBeNull()
  await user.click(row.getByRole('button', { name: 'More actions for Claude plan' }))
  expect(screen.queryByRole('menuitem', { name: 'Edit' })).toBeNull()
  expect(screen.getByRole('menuitem', { name: 'Remove' })).toBeDefined()
})
