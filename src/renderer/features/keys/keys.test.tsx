import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { keyRow, requestRow } from '../../testing/rows.ts'
import { Keys } from './keys.tsx'

const editor = keyRow('key_1', { name: 'Editor', spendUsd: 4.5, spendLimitUsd: 5 })

/** A gateway with some keys, which it changes as it is asked to. */
function createGatewayWith(...keys: KeyMetadata[]): FakeGateway {
  return new FakeGateway()
    .on('listKeys', () => ({ data: keys }))
    .on('updateKey', ({ body }) => ({ ...editor, ...(body as Partial<KeyMetadata>) }))
    .on('revokeKey', () => ({ ...editor, revokedAt: '2026-11-21T12:00:00.000Z' }))
}

const row = (name: string) => screen.findByRole('row', { name })

test('shows a key that a live event adds', async () => {
  const { gateway } = renderView(<Keys />)
  await screen.findByText('No keys yet')
  gateway.send({ type: 'key', key: keyRow('key_2', { name: 'CLI' }) })
  await row('CLI')
})

test('shows why the keys could not be loaded, and loads them on retry', async () => {
  const gateway = new FakeGateway().fail('listKeys', 'The database is locked.')
  const { user } = renderView(<Keys />, { gateway })
  await screen.findByText('The database is locked.')
  gateway.on('listKeys', () => ({ data: [editor] }))
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  await row('Editor')
})

test('a created key is listed without reading all keys again', async () => {
  const gateway = createGatewayWith(editor).on('createKey', ({ body }) => ({
    id: 'key_2',
    secret: 'tg-secret',
    name: (body as KeyMetadata).name,
    scope: 'completions-only',
    createdAt: '2026-11-21T12:00:00.000Z',
  }))
  const { user } = renderView(<Keys />, { gateway, path: '/keys?new=1' })
  await user.type(await screen.findByLabelText('Name'), 'Laptop')
  await user.clear(screen.getByLabelText('Spend cap (USD)'))
  await user.type(screen.getByLabelText('Spend cap (USD)'), '2.50')
  await user.click(screen.getByRole('button', { name: 'Create key' }))
  expect(await screen.findByDisplayValue('tg-secret')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Copy secret' }))
  await user.click(screen.getByRole('button', { name: 'Done' }))

  expect(within(await row('Laptop')).getByText('$2.50 left of $2.50')).toBeDefined()
  expect(within(await row('Laptop')).getByText('tg-…cret')).toBeDefined()
  expect(gateway.listCalls('createKey')[0]?.body).toEqual({
    name: 'Laptop',
    scope: 'completions-only',
    spendLimitUsd: 2.5,
  })
  expect(gateway.listCalls('listKeys')).toHaveLength(1)
})

test('a key without a name is not created', async () => {
  const { user, gateway } = renderView(<Keys />, { path: '/keys?new=1' })
  await user.type(await screen.findByLabelText('Spend cap (USD)'), 'a lot')
  await user.click(screen.getByRole('button', { name: 'Create key' }))
  expect(screen.getByText('Enter a name of 1 to 100 characters.')).toBeDefined()
  expect(screen.getByText('Enter an amount in USD, such as 5 or 0.25.')).toBeDefined()
  expect(gateway.listCalls('createKey')).toEqual([])
})

test('when a key cannot be created, the form keeps its values', async () => {
  const gateway = new FakeGateway().fail('createKey', 'The disk is full.')
  const { user } = renderView(<Keys />, { gateway, path: '/keys?new=1' })
  await user.type(await screen.findByLabelText('Name'), 'Laptop')
  await user.click(screen.getByRole('button', { name: 'Create key' }))
  expect(await screen.findByText('The disk is full.')).toBeDefined()
  expect(screen.getByDisplayValue('Laptop')).toBeDefined()
})

test('a cap is raised in steps from the spend', async () => {
  const { user, gateway } = renderView(<Keys />, { gateway: createGatewayWith(editor) })
  await user.click(within(await row('Editor')).getByRole('button', { name: 'Raise cap' }))
  const field = screen.getByLabelText<HTMLInputElement>('Spend cap (USD)')
  await user.click(screen.getByRole('button', { name: 'Raise by $5' }))
  expect(field.value).toBe('10')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await within(await row('Editor')).findByText('$5.50 left of $10.00')
  expect(gateway.listCalls('updateKey')).toMatchObject([{ id: 'key_1', body: { spendLimitUsd: 10 } }])
})

test('a cap below the spend is announced as a pause, and an invalid amount cannot be saved', async () => {
  const { user } = renderView(<Keys />, { gateway: createGatewayWith(editor) })
  await user.click(within(await row('Editor')).getByRole('button', { name: 'Raise cap' }))
  const field = screen.getByLabelText('Spend cap (USD)')
  await user.clear(field)
  await user.type(field, '3')
  expect(screen.getByText(/This stops the key/)).toBeDefined()
  await user.type(field, 'x')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)
})

test('a cap of zero is shown as a pause', async () => {
  renderView(<Keys />, { gateway: createGatewayWith({ ...editor, spendUsd: 0, spendLimitUsd: 0 }) })
  expect(within(await row('Editor')).getByText('Paused by a cap of $0')).toBeDefined()
})

test('a failed change of a cap shows its error, and the editor stays open', async () => {
  const gateway = createGatewayWith(editor).fail('updateKey', 'The disk is full.')
  const { user } = renderView(<Keys />, { gateway })
  await user.click(within(await row('Editor')).getByRole('button', { name: 'Raise cap' }))
  await user.click(screen.getByRole('button', { name: 'Remove cap' }))
  expect(await screen.findByText('The disk is full.')).toBeDefined()
  expect(screen.getByLabelText('Spend cap (USD)')).toBeDefined()
})

test('a key is renamed and gets its own limits', async () => {
  const { user, gateway } = renderView(<Keys />, { gateway: createGatewayWith(editor) })
  await user.click(within(await row('Editor')).getByText('$0.50 left of $5.00'))
  const name = await screen.findByLabelText('Name')
  await user.clear(name)
  await user.type(name, 'IDE')
  await user.type(screen.getByLabelText('Requests per minute'), '60')
  expect(screen.getByText(/^Requests stop once this is spent/)).toBeDefined()
  await user.click(screen.getByRole('switch', { name: 'Strict' }))
  expect(screen.getByText(/^The most this key can ever spend/)).toBeDefined()
  await user.click(screen.getByLabelText('Prompts and answers'))
  await user.click(await screen.findByRole('option', { name: 'Never store' }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(within(await row('IDE')).getByText('60 requests per minute')).toBeDefined()
  expect(within(await row('IDE')).getByText('· strict')).toBeDefined()
  expect(gateway.listCalls('updateKey')[0]?.body).toEqual({
    name: 'IDE',
    spendLimitUsd: 5,
    rpmLimit: 60,
    tpmLimit: null,
    storeBodies: false,
    strict: true,
    spendLimits: [],
    tag: null,
    allowedModels: null,
    expiresAt: null,
    guard: 'on',
  })
})

test('a new key starts with the default cap, which can be cleared', async () => {
  const gateway = createGatewayWith().on('createKey', ({ body }) => ({
    id: 'key_new',
    secret: 'tg-secret',
    name: (body as KeyMetadata).name,
    scope: 'completions-only',
    createdAt: '2026-11-21T12:00:00.000Z',
  }))
  const { user } = renderView(<Keys />, { gateway, path: '/keys?new=1' })
  expect(await screen.findByLabelText('Spend cap (USD)')).toHaveProperty('value', '5')
  await user.clear(screen.getByLabelText('Spend cap (USD)'))
  await user.type(screen.getByLabelText('Name'), 'Laptop')
  await user.click(screen.getByRole('button', { name: 'Create key' }))
  await screen.findByDisplayValue('tg-secret')
  expect(gateway.listCalls('createKey')[0]?.body).toEqual({ name: 'Laptop', scope: 'completions-only' })
})

test.each(['Escape', 'Close', 'Done'])(
  'a secret that was not copied is asked about before %s hides it',
  async (way) => {
    const gateway = createGatewayWith().on('createKey', () => ({
      id: 'key_new',
      secret: 'tg-secret',
      name: 'Laptop',
      scope: 'completions-only',
      createdAt: '2026-11-21T12:00:00.000Z',
    }))
    const { user } = renderView(<Keys />, { gateway, path: '/keys?new=1' })
    await user.type(await screen.findByLabelText('Name'), 'Laptop')
    await user.click(screen.getByRole('button', { name: 'Create key' }))
    await screen.findByDisplayValue('tg-secret')
    if (way === 'Escape') await user.keyboard('{Escape}')
    else await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: way }))
    expect(screen.getByRole('alert').textContent).toBe('Copied? The secret cannot be shown again.')
    await user.click(screen.getByRole('button', { name: 'Copy and close' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(await navigator.clipboard.readText()).toBe('tg-secret')
  },
)

test('the address opens the editor of a key', async () => {
  const { user } = renderView(<Keys />, {
    gateway: createGatewayWith(editor),
    path: '/keys?edit=key_1',
  })
  const dialog = await screen.findByRole('dialog', { name: 'Editor' })
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('before a key is revoked, its last use is shown', async () => {
  const used = { ...editor, lastUsedAt: '2026-11-21T12:00:00.000Z' }
  const gateway = createGatewayWith(used).on('listRequests', () => ({
    data: [requestRow('req_1', 0, { client: 'aider/0.9', model: 'gpt-5.5' })],
    nextCursor: null,
  }))
  const { user } = renderView(<Keys />, { gateway })
  await user.click(within(await row('Editor')).getByRole('button', { name: 'More actions for Editor' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Revoke' }))
  const dialog = await screen.findByRole('alertdialog')
  expect(await within(dialog).findByText('aider/0.9')).toBeDefined()
  await user.click(within(dialog).getByRole('button', { name: 'Revoke key' }))
  await screen.findByText('All keys are revoked. Create one for each tool.')
  await user.click(screen.getByRole('switch', { name: 'Show 1 revoked' }))
  expect(within(await row('Editor')).getByText('Revoked')).toBeDefined()
  expect(gateway.listCalls('revokeKey')).toMatchObject([{ id: 'key_1' }])
})

test('a paused key says why in its row, and is resumed there', async () => {
  const pausedAt = '2026-11-22T10:00:00.000Z'
  const record = keyRow('key_1', { name: 'Agent', pausedAt, pauseReason: 'It loops.' })
  const gateway = new FakeGateway()
    .on('listKeys', () => ({ data: [record] }))
    .on('resumeKey', () => ({ ...record, pausedAt: null, pauseReason: null }))
  const { user } = renderView(<Keys />, { gateway, path: '/keys' })
  const agent = await screen.findByRole('row', { name: 'Agent' })
  expect(within(agent).getByText('Paused')).toBeDefined()
  expect(within(agent).getByText('It loops.')).toBeDefined()
  await user.click(within(agent).getByRole('button', { name: 'Resume' }))
  await waitFor(() => expect(within(agent).queryByText('Paused')).toBeNull())
})
