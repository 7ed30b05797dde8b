import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { KeyMetadata, KeyUpdate } from '../../../shared/api/keys.ts'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { keyRow, modelRow, patchKey, requestRow, requestTotals } from '../../testing/rows.ts'
import { Keys } from './keys.tsx'

const editor = keyRow('key_1', { name: 'Editor', spendUsd: 4.5, spendLimitUsd: 5 })

/** A gateway with some keys, which it changes as it is asked to. */
function createGatewayWith(...keys: KeyMetadata[]): FakeGateway {
  return new FakeGateway()
    .on('listKeys', () => ({ data: keys }))
    .on('updateKey', ({ body }) => patchKey(editor, body as KeyUpdate))
    .on('revokeKey', () => ({ ...editor, revokedAt: '2026-11-21T12:00:00.000Z' }))
}

const row = (name: string) => screen.findByRole('row', { name })

test('shows a key that a live event adds', async () => {
  const { gateway } = renderView(<Keys />)
  await screen.findByText('No keys yet')
  gateway.send({ type: 'key', key: keyRow('key_2', { name: 'CLI' }) })
  await row('CLI')
})

test('a created key is listed', async () => {
  const gateway = createGatewayWith(editor)
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
  renderView(<Keys />, { gateway: createGatewayWith(keyRow('key_1', { name: 'Editor', spendLimitUsd: 0 })) })
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
  await user.type(screen.getByLabelText('Sub-agents at a time'), '3')
  expect(screen.getByText(/^Requests stop once this is spent/)).toBeDefined()
  await user.click(screen.getByRole('switch', { name: 'Strict' }))
  expect(screen.getByText(/^The most this key can ever spend/)).toBeDefined()
  await user.click(screen.getByLabelText('Prompts and answers'))
  await user.click(await screen.findByRole('option', { name: 'Never store' }))
  await user.click(screen.getByLabelText('Response cache'))
  await user.click(await screen.findByRole('option', { name: 'Repeat answers for a day' }))
  await user.clear(screen.getByLabelText('Space for answers (MB)'))
  expect(screen.getByText('Enter a whole number from 1 to 1024.')).toBeDefined()
  await user.type(screen.getByLabelText('Space for answers (MB)'), '8')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(within(await row('IDE')).getByText('60 requests per minute')).toBeDefined()
  expect(within(await row('IDE')).getByText('· strict')).toBeDefined()
  expect(gateway.listCalls('updateKey')[0]?.body).toEqual({
    name: 'IDE',
    spendLimitUsd: 5,
    rpmLimit: 60,
    tpmLimit: null,
    maxSubagents: 3,
    storeBodies: false,
    strict: true,
    spendLimits: [],
    tag: null,
    allowedModels: null,
    expiresAt: null,
    guard: 'on',
    secretsInPrompts: 'note',
    responseCache: { ttlSeconds: 86_400, maxBytes: 8_388_608 },
  })
})

test('a new key starts with the default cap, which can be cleared', async () => {
  const gateway = createGatewayWith()
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
    const gateway = createGatewayWith()
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
  const { user } = renderView(<Keys />, { gateway: createGatewayWith(editor), path: '/keys?edit=key_1' })
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

test('keys are searched, also by the end of their secret, and sorted by a column', async () => {
  const other = keyRow('key_2', {
    name: 'Agent',
    spendUsd: 9,
    secretHint: 'aB3x',
    createdAt: '2026-11-02T00:00:00.000Z',
  })
  const { user, history } = renderView(<Keys />, { gateway: createGatewayWith(editor, other), path: '/keys' })
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
  const { user } = renderView(<Keys />, { gateway: createGatewayWith(editor, old) })
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

test('a key is created with limits, a project, models and an end date', async () => {
  const gateway = new FakeGateway()
  const { user } = renderView(<Keys />, { gateway, path: '/keys?new=1' })
  await user.type(await screen.findByLabelText('Name'), 'Agent')
  await user.click(screen.getByRole('button', { name: 'Add a limit' }))
  await user.click(screen.getByRole('button', { name: 'Create key' }))
  expect(await screen.findByText('Enter an amount in USD, or remove this limit.')).toBeDefined()
  await user.type(screen.getByLabelText('Amount in USD of limit 1'), '3')
  await user.click(screen.getByRole('combobox', { name: 'Models of limit 1: All models' }))
  await user.type(screen.getByPlaceholderText(/Search models/), 'claude-*')
  await user.click(await screen.findByText('Use “claude-*” as a pattern'))
  await user.click(screen.getByRole('switch', { name: 'Strict' }))
  await user.type(screen.getByLabelText('Project'), 'tollgate')
  await user.click(screen.getByRole('button', { name: 'Create key' }))
  await screen.findByDisplayValue('tg-secret')
  expect(gateway.listCalls('createKey')[0]?.body).toEqual({
    ...{ name: 'Agent', scope: 'completions-only', spendLimitUsd: 5, tag: 'tollgate', strict: true },
    spendLimits: [{ usd: 3, per: 'day', model: 'claude-*' }],
  })
})

test('a pattern shows which models it matches while it is typed, and how many the key may use', async () => {
  const ids = ['claude-a', 'claude-b', 'gpt-c', 'claude-d', 'claude-e']
  const gateway = createGatewayWith(editor).on('listModels', () => modelList(ids.map((id) => modelRow(id))))
  const { user } = renderView(<Keys />, { gateway, path: '/keys?edit=key_1' })
  await user.click(await screen.findByRole('combobox', { name: 'Allowed models: All models' }))
  await user.type(screen.getByPlaceholderText(/Search models/), 'claude-*')
  expect(
    await screen.findByText('It matches 4 models: claude-a, claude-b, claude-d and 1 more'),
  ).toBeDefined()
  expect(screen.getAllByRole('option')).toHaveLength(5)
  await user.click(screen.getByText('Use “claude-*” as a pattern'))
  expect(
    await screen.findByText(
      'Allows 4 models: claude-a, claude-b, claude-d and 1 more. All others are refused.',
    ),
  ).toBeDefined()
})

test('a limit is tried on the past of its key while it is typed', async () => {
  const gateway = createGatewayWith(editor)
  const { user } = renderView(<Keys />, { gateway, path: '/keys?edit=key_1' })
  await user.click(await screen.findByRole('button', { name: 'Add a limit' }))
  await user.type(screen.getByLabelText('Amount in USD of limit 1'), '12')
  expect(await screen.findByText('It would have stopped none of 1,200 requests.')).toBeDefined()
  expect(gateway.listCalls('rehearse').at(-1)?.body).toEqual({
    ...{ limit: { usd: 12, per: 'day' }, keyId: 'key_1', history: true },
  })
})

test('a key with held amounts leads to their requests', async () => {
  const gateway = createGatewayWith({ ...editor, reservedUsd: 0.3 }).on('getRequestTotals', () => ({
    ...requestTotals,
    requests: 2,
  }))
  renderView(<Keys />, { gateway, path: '/keys?edit=key_1' })
  const link = await screen.findByRole('link', { name: 'View held amounts' })
  expect(link.getAttribute('href')).toBe('/requests?key=key_1&held=true')
  expect(gateway.listCalls('getRequestTotals')).toMatchObject([{ query: { key: 'key_1', held: 'true' } }])
})

test('the limit of which most is used is shown, and raised in place', async () => {
  const state = { spentUsd: 1.8, reservedUsd: 0, resetsAt: null }
  const key = keyRow('key_1', {
    name: 'Editor',
    spendLimitUsd: 5,
    spendLimits: [
      { usd: 2, per: 'day', window: 'rolling', ...state } as const,
      { usd: 50, per: 'month', ...state, action: 'warn' } as const,
    ],
    ...{ spendUsd: 1.8, expiresAt: '2026-11-02T00:00:00.000Z' },
  })
  const { user, gateway } = renderView(<Keys />, { gateway: createGatewayWith(key) })
  const shown = within(await row('Editor'))
  expect(shown.getByText('$0.20 left of $2.00 in 24 hours')).toBeDefined()
  expect(shown.getByText(/2 more limits/)).toBeDefined()
  expect(shown.getByText('Ended')).toBeDefined()
  await user.click(shown.getByRole('button', { name: 'Raise limit' }))
  await user.click(screen.getByRole('button', { name: 'Raise by $5' }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(gateway.listCalls('updateKey')).toHaveLength(1))
  expect(gateway.listCalls('updateKey')[0]?.body).toEqual({
    spendLimits: [
      { usd: 7, per: 'day', window: 'rolling' },
      { usd: 50, per: 'month', action: 'warn' },
      { usd: 5, per: 'lifetime' },
    ],
  })
})

test('a limit says in its row what was spent over it', async () => {
  const spendLimits = [
    { usd: 3, per: 'lifetime', model: 'm', spentUsd: 3.05, reservedUsd: 0, resetsAt: null },
  ] satisfies KeyMetadata['spendLimits']
  renderView(<Keys />, { gateway: createGatewayWith({ ...editor, spendLimits }), path: '/keys?edit=key_1' })
  expect(await screen.findByText('$3.05 spent, $0.05 over.')).toBeDefined()
})

test('marked keys are paused together, and resumed by undo', async () => {
  const other = keyRow('key_2', { name: 'Agents', spendUsd: 2, pausedAt: null })
  const change = (pausedAt: string | null) => ({ ...editor, pausedAt, pauseReason: null })
  const { user, gateway } = renderView(<Keys />, {
    gateway: createGatewayWith(editor, other)
      .on('pauseKey', ({ id }) => ({ ...change('2026-11-21T12:00:00.000Z'), id }))
      .on('resumeKey', ({ id }) => ({ ...change(null), id })),
  })
  within(await row('Editor'))
    .getByRole('button', { name: 'Editor' })
    .focus()
  await user.keyboard('{Control>} {/Control}')
  await user.keyboard('{Control>}')
  await user.click(within(await row('Agents')).getByText('$2.00', { exact: false }))
  await user.keyboard('{/Control}')
  const bar = within(screen.getByText('2 selected').closest<HTMLElement>('[role=status]') ?? document.body)
  expect(bar.getByText('$6.50')).toBeDefined()
  await user.click(bar.getByRole('button', { name: 'Pause' }))
  expect(gateway.listCalls('pauseKey').map(({ id }) => id)).toEqual(['key_1', 'key_2'])
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(gateway.listCalls('resumeKey')).toHaveLength(2))
})

test('a failed pause of marked keys shows its error', async () => {
  const gateway = createGatewayWith(editor).fail('pauseKey', 'The disk is full.')
  const { user } = renderView(<Keys />, { gateway })
  within(await row('Editor'))
    .getByRole('button', { name: 'Editor' })
    .focus()
  await user.keyboard('{Control>} {/Control}')
  const bar = within(screen.getByText('1 selected').closest<HTMLElement>('[role=status]') ?? document.body)
  await user.click(bar.getByRole('button', { name: 'Pause' }))
  expect((await bar.findByRole('alert')).textContent).toContain('The disk is full.')
})
