import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway, usage } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { modelRow, providerRow, requestRow, usageRow } from '../../testing/rows.ts'
import { formatErrorRate } from './provider-stats.tsx'
import { Providers } from './providers.tsx'

function createGatewayWith(...rows: ReturnType<typeof providerRow>[]) {
  return new FakeGateway()
    .on('listProviders', () => ({ data: rows }))
    .on('listRequests', () => ({ data: [], nextCursor: null }))
}

const findRow = (name: string) => screen.findByRole('listitem', { name })

test('without a provider it offers to add one', async () => {
  const { user } = renderView(<Providers />, { gateway: createGatewayWith() })
  await screen.findByText('No providers yet')
  await user.click(screen.getByRole('button', { name: 'Add a provider' }))
  expect(await screen.findByRole('dialog', { name: 'Add provider' })).toBeDefined()
})

test('a provider can be disabled', async () => {
  const gateway = createGatewayWith(providerRow('openai', { name: 'OpenAI' })).on('putProvider', ({ id }) =>
    providerRow(id, { enabled: false }),
  )
  const { user } = renderView(<Providers />, { gateway })
  const row = await findRow('OpenAI')
  gateway.on('listProviders', () => ({
    data: [
      providerRow('openai', {
        name: 'OpenAI',
        enabled: false,
        health: { state: 'off', until: null, lastError: null, lastErrorAt: null },
      }),
    ],
  }))
  await user.click(within(row).getByRole('switch', { name: 'Use OpenAI' }))
  await within(row).findByText('Off')
  expect(within(row).getByRole('switch', { name: 'Use OpenAI' }).getAttribute('aria-checked')).toBe('false')
  expect(gateway.listCalls('putProvider')[0]).toMatchObject({ id: 'openai', body: { enabled: false } })
})

test('the row shows the result of a test', async () => {
  const gateway = createGatewayWith(providerRow('openai', { name: 'OpenAI' })).on('testProvider', () => ({
    ok: false,
    latencyMs: 3,
    modelCount: 0,
    error: 'The key was rejected.',
  }))
  const { user } = renderView(<Providers />, { gateway })
  const row = await findRow('OpenAI')
  await user.click(within(row).getByRole('button', { name: 'Test' }))
  expect((await within(row).findByRole('status')).textContent).toContain('The key was rejected.')
  expect(within(row).getByText('Test failed')).toBeDefined()
})

test('the base URL that answers is used with one press in the row', async () => {
  const suggestedBaseUrl = 'https://api.mine.example/v1'
  const failed = { ok: false, latencyMs: 3, modelCount: 0, error: 'It answered 404.', suggestedBaseUrl }
  const gateway = createGatewayWith(providerRow('mine')).on('testProvider', () => failed)
  const { user } = renderView(<Providers />, { gateway })
  const row = await findRow('mine')
  await user.click(within(row).getByRole('button', { name: 'Test' }))
  gateway
    .on('putProvider', ({ id }) => providerRow(id))
    .on('testProvider', () => ({ ok: true, latencyMs: 3, modelCount: 2 }))
  await user.click(await within(row).findByRole('button', { name: `Use ${suggestedBaseUrl}` }))
  expect(await within(row).findByText('Connected in 3 ms, 2 models found.')).toBeDefined()
  expect(gateway.listCalls('putProvider')).toMatchObject([
    { id: 'mine', body: { baseUrl: suggestedBaseUrl } },
  ])
})

test('a missing credential can be entered from the row', async () => {
  const gateway = createGatewayWith(
    providerRow('openai', {
      name: 'OpenAI',
      hasCredential: false,
      credentialCount: 0,
      health: { state: 'no-credential', until: null, lastError: null, lastErrorAt: null },
    }),
  )
  const { user } = renderView(<Providers />, { gateway })
  const row = await findRow('OpenAI')
  await user.click(within(row).getByRole('button', { name: 'Enter an API key' }))
  expect(await screen.findByRole('dialog', { name: 'Edit OpenAI' })).toBeDefined()
})

test('removing a provider asks first', async () => {
  const gateway = createGatewayWith(providerRow('openai', { name: 'OpenAI' })).on(
    'deleteProvider',
    ({ id }) => ({ id, deleted: true }),
  )
  const { user } = renderView(<Providers />, { gateway })
  const row = await findRow('OpenAI')
  await user.click(within(row).getByRole('button', { name: 'More actions for OpenAI' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Remove' }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Remove OpenAI?' })
  expect(gateway.listCalls('deleteProvider')).toEqual([])
  gateway.on('listProviders', () => ({ data: [] }))
  await user.click(within(dialog).getByRole('button', { name: 'Remove provider' }))
  await waitFor(() => expect(screen.queryByRole('listitem', { name: 'OpenAI' })).toBeNull())
  expect(gateway.listCalls('deleteProvider').map(({ id }) => id)).toEqual(['openai'])
})

test('a running local server is added with one click', async () => {
  const gateway = createGatewayWith(providerRow('ollama', { name: 'Ollama', configured: false, local: true }))
    .on('discoverProviders', () => ({
      data: [
        {
          id: 'ollama',
          name: 'Ollama',
          baseUrl: 'http://127.0.0.1:11434/v1',
          configured: false,
          running: true,
          modelCount: 1,
        },
      ],
    }))
    .on('putProvider', ({ id }) => providerRow(id))
    .on('fetchProviderModels', () => ({ data: [modelRow('llama')] }))
  const { user } = renderView(<Providers />, { gateway, path: '/providers?add=1' })
  const found = await screen.findByRole('region', { name: 'Found on this computer' })
  expect(within(found).getByText('127.0.0.1:11434')).toBeDefined()
  await user.click(within(found).getByRole('button', { name: 'Add Ollama' }))
  expect(await screen.findByText('Added Ollama with 1 model.')).toBeDefined()
  expect(gateway.listCalls('putProvider')[0]).toMatchObject({ id: 'ollama', body: {} })
})

test('a credential in the environment is imported, and a failure is shown next to it', async () => {
  const gateway = createGatewayWith(
    providerRow('openai', { name: 'OpenAI', configured: false, hasCredential: false }),
  )
    .on('listEnvironmentCredentials', () => ({
      data: [{ id: 'openai', name: 'OpenAI', variable: 'OPENAI_API_KEY' }],
    }))
    .fail('importProvider', 'The keychain is locked.')
  const { user } = renderView(<Providers />, { gateway, path: '/providers?add=1' })
  const found = await screen.findByRole('region', { name: 'In your environment' })
  expect(within(found).getByText('OPENAI_API_KEY')).toBeDefined()
  await user.click(within(found).getByRole('button', { name: 'Import OpenAI' }))
  expect((await within(found).findByRole('alert')).textContent).toBe('The keychain is locked.')
})

test('a row has the spend, requests, errors and latency of the last day, and a failing provider its last error', async () => {
  const day = { errors: 50, requests: 200, latencyP50Ms: 1234, costUsd: 4.2 }
  const message = 'The provider is overloaded.'
  const gateway = createGatewayWith(
    providerRow('openai', { name: 'OpenAI' }),
    providerRow('groq', { name: 'Groq' }),
  )
    .on('getUsage', ({ query }) => usage(query, [usageRow('openai', day), usageRow('groq', { errors: 0 })]))
    .on('listRequests', () => ({
      data: [requestRow('req_1', 0, { status: 'failed', error: { type: 'upstream_error', message } })],
      nextCursor: null,
    }))
  renderView(<Providers />, { gateway })
  const row = await findRow('OpenAI')
  expect(await within(row).findByText('25%')).toBeDefined()
  expect(within(row).getByText('1.23 s')).toBeDefined()
  expect(within(row).getByText('$4.20')).toBeDefined()
  expect(within(row).getByText('Many errors')).toBeDefined()
  expect((await within(row).findByText(/^Last error/)).textContent).toContain(message)
  expect(within(await findRow('Groq')).getByText('Ready')).toBeDefined()
})

test('a provider whose last call failed is marked as failing, with the error and when it was', async () => {
  const lastErrorAt = new Date(Date.now() - 180_000).toISOString()
  const health = { state: 'ready', until: null, lastError: 'It broke.', lastErrorAt } as const
  renderView(<Providers />, { gateway: createGatewayWith(providerRow('openai', { name: 'OpenAI', health })) })
  const row = await findRow('OpenAI')
  expect(within(row).getByText('Failing')).toBeDefined()
  expect((await within(row).findByText(/^Last error/)).textContent).toContain('3 min ago: It broke.')
})

test.each([
  [0, 100, '0%'],
  [1, 3000, '< 0.1%'],
  [1, 200, '0.5%'],
  [2, 100, '2%'],
  [25, 100, '25%'],
  [100, 100, '100%'],
])('%i errors in %i requests are %s', (errors, requests, text) => {
  expect(formatErrorRate({ errors, requests })).toBe(text)
})
