import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { GatewayInfo } from '../../../shared/api/account.ts'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { gatewayInfo, keyRow, modelRow, requestRow } from '../../testing/rows.ts'
import { Connect } from './connect.tsx'

beforeEach(() => localStorage.clear())

function createGatewayWith(...keys: ReturnType<typeof keyRow>[]) {
  return new FakeGateway()
    .on('getGateway', () => ({ ...gatewayInfo, baseUrl: 'http://127.0.0.1:9000' }))
    .on('listModels', () => modelList([modelRow('gpt-5.5')]))
    .on('listKeys', () => ({ data: keys }))
}

/** The text to paste for the selected tool. */
const snippet = () => screen.getByRole('tabpanel').textContent ?? ''

test('the text to paste has the base URL and a model, and a placeholder until there is a key', async () => {
  renderView(<Connect />, { gateway: createGatewayWith() })
  await waitFor(() => expect(snippet()).toContain('http://127.0.0.1:9000'))
  await waitFor(() => expect(snippet()).toContain('gpt-5.5'))
  expect(snippet()).toContain('tg-…')
  expect(screen.getByText('Create a key to fill in this snippet.')).toBeDefined()
})

test('a key created for a tool is inserted into its snippet and has a cap', async () => {
  const gateway = createGatewayWith()
  const { user } = renderView(<Connect />, { gateway, path: '/connect?tool=python' })
  await user.click(await screen.findByRole('button', { name: 'Create key for Python' }))
  await waitFor(() => expect(snippet()).toContain('tg-secret'))
  expect(snippet()).not.toContain('tg-…')
  expect(screen.getByText('Uses the key “Python”.')).toBeDefined()
  expect(gateway.listCalls('createKey').map(({ body }) => body)).toEqual([
    { name: 'Python', scope: 'completions-only', spendLimitUsd: 5 },
  ])
})

test('a key that cannot be created is reported next to the button', async () => {
  const gateway = createGatewayWith().fail('createKey', 'The disk is full.')
  const { user } = renderView(<Connect />, { gateway })
  await user.click(await screen.findByRole('button', { name: /^Create key for/ }))
  expect((await screen.findByRole('alert')).textContent).toBe('The disk is full.')
})

test('admin, read-only and revoked keys are not offered', async () => {
  const gateway = createGatewayWith(
    keyRow('key_1', { name: 'Admin', scope: 'admin' }),
    keyRow('key_2', { name: 'Reader', scope: 'read-only' }),
    keyRow('key_3', { name: 'Old', revokedAt: '2026-11-02T09:00:00.000Z' }),
    keyRow('key_4', { name: 'Editor' }),
  )
  const { user } = renderView(<Connect />, { gateway })
  const select = screen.getByRole('combobox', { name: 'Key' })
  await waitFor(() => expect(select.textContent).toBe('Editor'))
  await user.click(select)
  const options = within(await screen.findByRole('listbox')).getAllByRole('option')
  expect(options.map(({ textContent }) => textContent)).toEqual(['Editor'])
})

test('the tools are tabs, and the chosen one is in the address', async () => {
  const { user, history } = renderView(<Connect />, { gateway: createGatewayWith() })
  await user.click(await screen.findByRole('tab', { name: 'Zed' }))
  expect(snippet()).toContain('language_models')
  expect(history.at(-1)).toContain('tool=zed')
  await user.keyboard('{ArrowDown}')
  expect(screen.getByRole('tab', { name: 'JetBrains IDEs' }).getAttribute('aria-selected')).toBe('true')
})

test('it waits for the first request of the key and shows it when it arrives', async () => {
  const gateway = createGatewayWith(keyRow('key_4', { name: 'Editor' }))
  renderView(<Connect />, { gateway })
  await screen.findByText('Waiting for the first request with “Editor”…')
  await waitFor(() => expect(gateway.listCalls('streamEvents')).toHaveLength(1))
  const request = requestRow('req_1', 1, { keyId: 'key_4', keyName: 'Editor', costUsd: 0.25 })
  gateway.send({ type: 'request', request })
  expect(await screen.findByText('Request received with “Editor”')).toBeDefined()
  expect(screen.getByRole('link', { name: 'View request' }).getAttribute('href')).toBe('/requests/req_1')
})

test('a rejected request is shown instead of waiting, with when it came and what to do', async () => {
  const gateway = createGatewayWith(keyRow('key_4', { name: 'Editor' }))
  renderView(<Connect />, { gateway })
  await screen.findByText('Waiting for the first request with “Editor”…')
  await waitFor(() => expect(gateway.listCalls('streamEvents')).toHaveLength(1))
  const message = 'There is no model "gpt-77". Did you mean "gpt-4o"?'
  const request = requestRow('req_1', 1, {
    ...{ keyId: 'key_4', keyName: 'Editor', status: 'rejected', httpStatus: 404 },
    error: { type: 'not_found_error', message },
  })
  gateway.send({ type: 'request', request })
  expect(await screen.findByText(message)).toBeDefined()
  expect(screen.getByRole('status').textContent).toMatch(
    /^A request with “Editor” arrived .* and was rejected/,
  )
  expect(screen.queryByText(/^Waiting/)).toBeNull()
})

test('the chosen tool is there again the next time, unless the address names another', async () => {
  const first = renderView(<Connect />, { gateway: createGatewayWith() })
  await first.user.click(await screen.findByRole('tab', { name: 'Zed' }))
  first.unmount()
  const second = renderView(<Connect />, { gateway: createGatewayWith() })
  expect((await screen.findByRole('tab', { name: 'Zed' })).getAttribute('aria-selected')).toBe('true')
  second.unmount()
  renderView(<Connect />, { gateway: createGatewayWith(), path: '/connect?tool=curl' })
  expect((await screen.findByRole('tab', { name: 'curl' })).getAttribute('aria-selected')).toBe('true')
})

test('a tool is found by a part of its name, with the keyboard', async () => {
  const { user, history } = renderView(<Connect />, { gateway: createGatewayWith() })
  const search = await screen.findByRole('searchbox', { name: 'Find a tool' })
  await user.type(search, 'code qwen')
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['Qwen Code'])
  await user.keyboard('{Enter}')
  expect(history.at(-1)).toContain('tool=qwen')
  expect(document.activeElement?.textContent).toBe('Qwen Code')
  expect(snippet()).toContain('modelProviders')
  await user.clear(search)
  await user.type(search, 'nothing like it')
  expect(screen.queryAllByRole('tab')).toEqual([])
  expect(screen.getByText(/^No such tool/)).toBeDefined()
  await user.keyboard('{Escape}')
  expect(search).toHaveProperty('value', '')
})

test('each tool gets a model that suits it, until the user chooses one', async () => {
  const gateway = createGatewayWith().on('listModels', () =>
    modelList([modelRow('claude-sonnet-5'), modelRow('gpt-5.5'), modelRow('gemini-3-pro')]),
  )
  const { user } = renderView(<Connect />, { gateway })
  await waitFor(() => expect(snippet()).toContain('"ANTHROPIC_MODEL": "claude-sonnet-5"'))
  await user.click(screen.getByRole('tab', { name: 'Codex' }))
  expect(snippet()).toContain('model = "gpt-5.5"')
})

test('a tool that cannot be connected says why and offers no key', async () => {
  renderView(<Connect />, { gateway: createGatewayWith(), path: '/connect?tool=cursor' })
  await waitFor(() => expect(snippet()).toContain('cannot reach this computer'))
  expect(screen.queryByRole('button', { name: /^Create key for/ })).toBeNull()
})

test('for containers it shows the way into Settings, then the base URL, then what is wrong', async () => {
  const withContainers = (containers: GatewayInfo['containers']) =>
    createGatewayWith().on('getGateway', () => ({ ...gatewayInfo, containers }))
  const first = renderView(<Connect />, { gateway: createGatewayWith() })
  const link = await screen.findByRole('link', { name: 'Let containers reach the gateway in Settings' })
  expect(link.getAttribute('href')).toBe('/settings#gateway')
  first.unmount()

  const baseUrl = 'http://host.docker.internal:8655'
  const second = renderView(<Connect />, {
    gateway: withContainers({ enabled: true, baseUrl, problem: null }),
  })
  expect(await screen.findByText(`${baseUrl}/v1`)).toBeDefined()
  expect(screen.getByText('--add-host=host.docker.internal:host-gateway')).toBeDefined()
  second.unmount()

  const problem = 'Docker’s network interface docker0 was not found.'
  renderView(<Connect />, { gateway: withContainers({ enabled: true, baseUrl: null, problem }) })
  expect(await screen.findByText(problem)).toBeDefined()
})

test('each tool gets its own key, and those that have sent requests are marked', async () => {
  const used = { lastUsedAt: '2026-11-02T09:00:00.000Z' }
  const gateway = createGatewayWith(
    keyRow('key_1', { name: 'Runaway agent', ...used }),
    keyRow('key_2', { name: 'Terminal', ...used }),
  ).on('listRequests', () => ({
    data: [
      requestRow('req_2', 2, { keyId: 'key_1', keyName: 'Runaway agent', client: 'ai-sdk' }),
      requestRow('req_1', 1, { keyId: 'key_2', keyName: 'Terminal', client: 'codex_exec' }),
    ],
    nextCursor: null,
  }))
  const { user } = renderView(<Connect />, { gateway, path: '/connect?tool=codex' })
  const select = screen.getByRole('combobox', { name: 'Key' })
  await waitFor(() => expect(select.textContent).toBe('Terminal'))
  expect(screen.getByText(/^Connected, last request .* with “Terminal”$/)).toBeDefined()
  expect(screen.getByRole('tab', { name: 'Codex' }).getAttribute('aria-description')).toMatch(/^Connected/)
  await user.click(screen.getByRole('tab', { name: 'Zed' }))
  expect(select.textContent).toBe('Choose a key')
  expect(screen.queryByText(/^Connected/)).toBeNull()
})
