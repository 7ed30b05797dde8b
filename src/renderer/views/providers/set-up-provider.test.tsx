// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { ProviderRecord, ProviderTest } from '../../../shared/providers.ts'
import { FakeError, FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { gatewayInfo, modelRow, providerRow } from '../../testing/rows.ts'
import { SetUpProvider } from './set-up-provider.tsx'

const works: ProviderTest = { ok: true, latencyMs: 120, modelCount: 0 }
const fails: ProviderTest = { ok: false, latencyMs: 5, modelCount: 0, error: 'Connection refused.' }

function createGatewayWith(test = works) {
  return new FakeGateway()
    .on('putProvider', ({ id }) => providerRow(id))
    .on('tryProvider', () => test)
    .on('fetchProviderModels', () => ({ data: [modelRow('a'), modelRow('b')] }))
}

function renderForm(provider: ProviderRecord | null, gateway = createGatewayWith()) {
  const onClose = vi.fn()
  const view = renderView(<SetUpProvider provider={provider} onClose={onClose} />, { gateway })
  return {
    ...view,
    onClose,
    save: () => view.user.click(screen.getByRole('button', { name: 'Test and save' })),
  }
}

async function fillCustom({ user }: ReturnType<typeof renderForm>, baseUrl: string) {
  await user.type(screen.getByLabelText('Name'), 'My Server')
  await user.type(screen.getByLabelText('Base URL'), baseUrl)
}

test('a custom server is saved and tested, and the number of its models is shown', async () => {
  const form = renderForm(null)
  await fillCustom(form, 'http://127.0.0.1:8080/v1/')
  await form.save()
  expect(await screen.findByRole('dialog', { name: 'My Server is ready' })).toBeDefined()
  expect(screen.getByRole('status').textContent).toBe('Connected in 120 ms, 2 models found.')
  const [put] = form.gateway.callsOf('putProvider')
  expect(put).toMatchObject({ id: 'my-server', body: { baseUrl: 'http://127.0.0.1:8080/v1' } })
  await form.user.click(screen.getByRole('button', { name: 'Done' }))
  expect(form.onClose).toHaveBeenCalledTimes(1)
})

test('a custom server can have another API format', async () => {
  const form = renderForm(null)
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.user.click(screen.getByLabelText('API format'))
  await form.user.click(screen.getByRole('option', { name: /OpenAI Responses/ }))
  expect(screen.getByText('Everything before /responses.')).toBeDefined()
  await form.save()
  await waitFor(() =>
    expect(form.gateway.callsOf('putProvider')[0]?.body).toMatchObject({ apiFormat: 'openai-responses' }),
  )
})

test('a known provider has the format of its vendor', () => {
  renderForm(providerRow('openai', { consoleUrl: 'https://platform.openai.com' }))
  expect(screen.queryByLabelText('API format')).toBeNull()
})

test('invalid fields are reported beside them and nothing is sent', async () => {
  const form = renderForm(null)
  await form.user.type(screen.getByLabelText('Base URL'), 'ftp://example.org')
  await form.save()
  const baseUrl = screen.getByRole('textbox', { name: 'Base URL', description: /Enter an http or https URL/ })
  expect(baseUrl.getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByRole('textbox', { name: 'Name', description: /Enter a name/ })).toBeDefined()
  expect(form.gateway.callsOf('putProvider')).toEqual([])
})

test('a provider whose test fails is not saved until the user says so', async () => {
  const form = renderForm(null, createGatewayWith(fails))
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.save()
  expect((await screen.findByRole('status')).textContent).toBe('Connection failed: Connection refused.')
  expect(form.gateway.callsOf('putProvider')).toEqual([])
  await form.user.click(screen.getByRole('button', { name: 'Save anyway' }))
  await waitFor(() => expect(form.onClose).toHaveBeenCalledTimes(1))
  expect(form.gateway.callsOf('putProvider')).toMatchObject([{ id: 'my-server' }])
})

test('after a failed test the form can be corrected and tested again', async () => {
  const gateway = createGatewayWith(fails)
  const form = renderForm(null, gateway)
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.save()
  await screen.findByRole('status')
  gateway.on('tryProvider', () => works)
  await form.user.click(screen.getByRole('button', { name: 'Test again' }))
  expect(await screen.findByRole('dialog', { name: 'My Server is ready' })).toBeDefined()
  expect(gateway.callsOf('putProvider')).toMatchObject([{ id: 'my-server' }])
})

test('the base URL that answers is used and tested with one press', async () => {
  const suggestedBaseUrl = 'http://127.0.0.1:4901/v1'
  const gateway = createGatewayWith().on('tryProvider', ({ body }) =>
    (body as { baseUrl: string }).baseUrl === suggestedBaseUrl ? works : { ...fails, suggestedBaseUrl },
  )
  const form = renderForm(null, gateway)
  await fillCustom(form, 'http://127.0.0.1:4901')
  await form.save()
  await form.user.click(await screen.findByRole('button', { name: `Use ${suggestedBaseUrl}` }))
  expect(await screen.findByRole('dialog', { name: 'My Server is ready' })).toBeDefined()
  expect(gateway.callsOf('putProvider')).toMatchObject([{ body: { baseUrl: suggestedBaseUrl } }])
})

test('a pasted endpoint and a key with “Bearer” are corrected with one press each', async () => {
  const form = renderForm(null)
  await fillCustom(form, 'http://127.0.0.1:8080/v1/chat/completions')
  await form.user.type(screen.getByLabelText('API key'), 'Bearer sk-1')
  await form.user.click(screen.getByRole('button', { name: 'Use http://127.0.0.1:8080/v1' }))
  await form.user.click(screen.getByRole('button', { name: 'Remove “Bearer”' }))
  await form.save()
  await waitFor(() =>
    expect(form.gateway.callsOf('putProvider')[0]?.body).toMatchObject({
      baseUrl: 'http://127.0.0.1:8080/v1',
      credential: 'sk-1',
    }),
  )
})

test.each([
  ['keychain', 'Stored in the keychain of this computer and never shown again.'],
  ['memory', 'Kept in memory until Tollgate stops, and never shown again.'],
] as const)('with credentials in %s, the form says so', async (credentials, text) => {
  const gateway = createGatewayWith().on('getGateway', () => ({ ...gatewayInfo, credentials }))
  renderForm(providerRow('groq', { configured: false, hasCredential: false, credentialCount: 0 }), gateway)
  expect(await screen.findByText(text)).toBeDefined()
})

test('with credentials from the environment, the form names the variable and asks for none', async () => {
  const gateway = createGatewayWith().on('getGateway', () => ({ ...gatewayInfo, credentials: 'env' }))
  const form = renderForm(
    providerRow('groq', { configured: false, hasCredential: false, credentialCount: 0 }),
    gateway,
  )
  expect(await screen.findByText('GROQ_API_KEY')).toBeDefined()
  expect(screen.queryByLabelText('API key')).toBeNull()
  await form.save()
  await waitFor(() => expect(form.gateway.callsOf('putProvider')).toHaveLength(1))
})

test('an error of the gateway is shown at the field that it names', async () => {
  const gateway = createGatewayWith().on('putProvider', () => {
    throw new FakeError(400, 'This URL is not allowed.', 'invalid_request_error', 'baseUrl')
  })
  const form = renderForm(null, gateway)
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.save()
  expect(
    await screen.findByRole('textbox', { name: 'Base URL', description: 'This URL is not allowed.' }),
  ).toBeDefined()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('any other error is shown above the buttons, and the form can be sent again', async () => {
  const form = renderForm(null, createGatewayWith().fail('putProvider', 'The disk is full.'))
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.save()
  expect((await screen.findByRole('alert')).textContent).toBe('The disk is full.')
  expect(screen.getByRole('button', { name: 'Test and save' })).toHaveProperty('disabled', false)
})

test('two clicks save once', async () => {
  const gateway = createGatewayWith()
  const held = gateway.hold('putProvider')
  const form = renderForm(null, gateway)
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.user.dblClick(screen.getByRole('button', { name: 'Test and save' }))
  held.answer(providerRow('my-server'))
  await screen.findByRole('dialog', { name: 'My Server is ready' })
  expect(gateway.callsOf('putProvider')).toHaveLength(1)
})

test('a credential is sent unencrypted to a public address only after consent', async () => {
  const form = renderForm(null)
  await fillCustom(form, 'http://llm.example.com/v1')
  expect(screen.queryByRole('switch')).toBeNull()
  await form.user.type(screen.getByLabelText('API key'), 'sk-1')
  const consent = screen.getByRole('switch', { name: 'Send the credential without encryption' })
  await form.save()
  expect(screen.getByRole('alert').textContent).toMatch(/Use an https URL/)
  expect(form.gateway.callsOf('putProvider')).toEqual([])
  await form.user.click(consent)
  expect(screen.queryByRole('alert')).toBeNull()
  await form.save()
  await waitFor(() =>
    expect(form.gateway.callsOf('putProvider')[0]?.body).toMatchObject({ allowInsecureHttp: true }),
  )
})

test('several credentials are sent together, without those removed again', async () => {
  const form = renderForm(
    providerRow('openai', { configured: false, hasCredential: false, credentialCount: 0 }),
  )
  const first = screen.getByLabelText('API key')
  expect(document.activeElement).toBe(first)
  expect(first.getAttribute('type')).toBe('password')
  await form.user.type(first, 'sk-1')
  for (const key of ['sk-2', 'sk-3']) {
    await form.user.click(screen.getByRole('button', { name: 'Add another API key' }))
    await form.user.keyboard(key)
  }
  await form.user.click(screen.getByRole('button', { name: 'Remove API key 2' }))
  await form.save()
  await waitFor(() =>
    expect(form.gateway.callsOf('putProvider')[0]?.body).toMatchObject({ credentials: ['sk-1', 'sk-3'] }),
  )
})

test('a provider that needs a credential is not saved without one', async () => {
  const form = renderForm(
    providerRow('openai', { name: 'OpenAI', configured: false, hasCredential: false, credentialCount: 0 }),
  )
  await form.save()
  const dialog = screen.getByRole('dialog')
  expect(within(dialog).getByText('OpenAI requires an API key.')).toBeDefined()
  expect(form.gateway.callsOf('putProvider')).toEqual([])
})

test('a stored credential is kept when its field is left blank', async () => {
  const form = renderForm(providerRow('openai', { name: 'OpenAI' }))
  expect(screen.getByPlaceholderText('Saved. Leave blank to keep it.')).toBeDefined()
  await form.user.type(screen.getByLabelText('Name'), ' 2')
  await form.save()
  await waitFor(() => expect(form.gateway.callsOf('putProvider')[0]?.body).toEqual({ name: 'OpenAI 2' }))
})

const vertex = providerRow('vertex', {
  name: 'Google Vertex AI',
  configured: false,
  hasCredential: false,
  credentialCount: 0,
  baseUrl: null,
  authorization: 'google-service-account',
  authorizations: ['google-service-account', 'google-login'],
  address: {
    template: 'https://{location}-aiplatform.googleapis.com/v1/projects/{project}',
    fields: [
      { name: 'project', label: 'Project ID', hint: 'In the list of projects.', example: 'my-project' },
      { name: 'location', label: 'Location', hint: 'A region, or global.', example: 'global' },
    ],
    exceptions: { 'https://global-aiplatform.googleapis.com': 'https://aiplatform.googleapis.com' },
  },
})

test('a cloud asks for its names and the kind of login, and its base URL is made of them', async () => {
  const form = renderForm(vertex)
  const project = screen.getByLabelText('Project ID')
  expect(document.activeElement).toBe(project)
  expect(screen.getByPlaceholderText('Content of the JSON file')).toBeDefined()
  await form.user.type(project, 'our-project')
  await form.save()
  expect(screen.getByRole('textbox', { name: 'Location', description: /such as global/ })).toBeDefined()
  await form.user.type(screen.getByLabelText('Location'), 'global')
  await form.user.click(screen.getByLabelText('Sign in with'))
  await form.user.click(screen.getByRole('option', { name: /Google login of this computer/ }))
  expect(screen.queryByPlaceholderText('Content of the JSON file')).toBeNull()
  await form.save()
  await waitFor(() =>
    expect(form.gateway.callsOf('putProvider')[0]?.body).toEqual({
      baseUrl: 'https://aiplatform.googleapis.com/v1/projects/our-project',
      authorization: 'google-login',
      enabled: true,
    }),
  )
})

test('after a failed test the names of a cloud can be corrected', async () => {
  const gateway = createGatewayWith(fails)
  const form = renderForm(vertex, gateway)
  await form.user.type(screen.getByLabelText('Project ID'), 'our-project')
  await form.user.type(screen.getByLabelText('Location'), 'nowhere')
  await form.user.type(screen.getByPlaceholderText('Content of the JSON file'), 'key')
  await form.save()
  expect((await screen.findByRole('status')).textContent).toContain('Connection failed')
  await form.user.clear(screen.getByLabelText('Location'))
  await form.user.type(screen.getByLabelText('Location'), 'global')
  gateway.on('tryProvider', () => works)
  await form.user.click(screen.getByRole('button', { name: 'Test again' }))
  expect(await screen.findByRole('dialog', { name: 'Google Vertex AI is ready' })).toBeDefined()
  expect(form.gateway.callsOf('putProvider')[0]?.body).toMatchObject({
    baseUrl: 'https://aiplatform.googleapis.com/v1/projects/our-project',
    credential: 'key',
  })
})
