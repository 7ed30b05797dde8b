import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { KeyRehearsal } from '../../../shared/api/rehearsal.ts'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { keyRow, modelRow, noRehearsal } from '../../testing/rows.ts'
import { Keys } from './keys.tsx'

const editor = keyRow('key_1', { name: 'Editor', spendUsd: 4.5, spendLimitUsd: 5 })

/** A gateway with a key, which it changes as it is asked to. */
function createGatewayWith(key: KeyMetadata): FakeGateway {
  return new FakeGateway()
    .on('listKeys', () => ({ data: [key] }))
    .on('updateKey', ({ body }) => ({ ...editor, ...(body as Partial<KeyMetadata>) }))
}

const row = (name: string) => screen.findByRole('row', { name })

test('a key is created with limits, a project, models and an end date', async () => {
  const gateway = new FakeGateway().on('createKey', ({ body }) => ({
    ...{ id: 'key_2', secret: 'tg-secret', createdAt: '2026-11-21T12:00:00.000Z' },
    ...{ name: (body as KeyMetadata).name, scope: 'completions-only' },
  }))
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
  const gateway = createGatewayWith(editor).on('rehearseKeyLimits', ({ body }) => ({
    ...noRehearsal,
    limits: (body as KeyRehearsal).spendLimits?.length
      ? [{ param: 'spendLimits[0]', stops: [], stopCount: 0, preventedUsd: 0 }]
      : [],
  }))
  const { user } = renderView(<Keys />, { gateway, path: '/keys?edit=key_1' })
  await user.click(await screen.findByRole('button', { name: 'Add a limit' }))
  await user.type(screen.getByLabelText('Amount in USD of limit 1'), '12')
  expect(await screen.findByText('Would not have stopped Editor in the last 30 days.')).toBeDefined()
  expect(gateway.listCalls('rehearseKeyLimits')).toMatchObject([
    { id: 'key_1', body: { spendLimits: [{ usd: 12, per: 'day' }] } },
  ])
})

test('the limit of which most is used is shown, and raised in place', async () => {
  const state = { spentUsd: 1.8, reservedUsd: 0, resetsAt: null }
  const key = {
    ...editor,
    spendLimits: [
      { usd: 2, per: 'day', window: 'rolling', ...state } as const,
      { usd: 50, per: 'month', ...state, action: 'warn' } as const,
    ],
    ...{ spendUsd: 1.8, expiresAt: '2026-11-02T00:00:00.000Z' },
  }
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
    ],
  })
})

test('a limit says in its row what was spent over it', async () => {
  const spendLimits = [
    { usd: 3, per: 'lifetime', spentUsd: 3.05, reservedUsd: 0, resetsAt: null },
  ] satisfies KeyMetadata['spendLimits']
  renderView(<Keys />, { gateway: createGatewayWith({ ...editor, spendLimits }), path: '/keys?edit=key_1' })
  expect(await screen.findByText('$3.05 spent, $0.05 over.')).toBeDefined()
})
