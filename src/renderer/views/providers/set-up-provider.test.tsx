// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { ProviderRecord, ProviderTest } from '../../../shared/providers.ts'
import { FakeError, FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { modelRow, providerRow } from '../../testing/rows.ts'
import { SetUpProvider } from './set-up-provider.tsx'

const works: ProviderTest = { ok: true, latencyMs: 120, modelCount: 0 }
const fails: ProviderTest = { ok: false, latencyMs: 5, modelCount: 0, error: 'Connection refused.' }

function createGatewayWith(test = works) {
  return new FakeGateway()
    .on('putProvider', ({ id }) => providerRow(id))
    .on('testProvider', () => test)
    .on('fetchProviderModels', () => ({ data: [modelRow('a'), modelRow('b')] }))
}

function renderForm(provider: ProviderRecord | null, gateway = createGatewayWith()) {
  const onClose = vi.fn()
  const view = renderView(<SetUpProvider provider={provider} onClose={onClose} />, { gateway })
  return {
    ...view,
    onClose,
    save: () => view.user.click(screen.getByRole('button', { name: 'Save and test' })),
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
  expect(screen.getByRole('status').textContent).toBe('Connected in 120 ms: 2 models.')
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

test('a failed test keeps the form open, and saving again changes the same provider', async () => {
  const gateway = createGatewayWith(fails)
  const form = renderForm(null, gateway)
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.save()
  expect((await screen.findByRole('status')).textContent).toContain('Test failed: Connection refused.')
  expect(screen.getByRole('button', { name: 'Keep without testing' })).toBeDefined()
  gateway
    .on('testProvider', () => works)
    .on('listProviders', () => ({ data: [providerRow('my-server', { name: 'My Server' })] }))
  await form.save()
  expect(await screen.findByRole('dialog', { name: 'My Server is ready' })).toBeDefined()
  expect(gateway.callsOf('putProvider').map(({ id }) => id)).toEqual(['my-server', 'my-server'])
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
  expect(screen.getByRole('button', { name: 'Save and test' })).toHaveProperty('disabled', false)
})

test('two clicks save once', async () => {
  const gateway = createGatewayWith()
  const held = gateway.hold('putProvider')
  const form = renderForm(null, gateway)
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.user.dblClick(screen.getByRole('button', { name: 'Save and test' }))
  held.answer(providerRow('my-server'))
  await screen.findByRole('dialog', { name: 'My Server is ready' })
  expect(gateway.callsOf('putProvider')).toHaveLength(1)
})

test('a credential is sent unencrypted to a public address only after consent', async () => {
  const form = renderForm(null)
  await fillCustom(form, 'http://llm.example.com/v1')
  expect(screen.queryByRole('switch')).toBeNull()
  await form.user.type(screen.getByLabelText('Credential'), 'sk-1')
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
  const first = screen.getByLabelText('Credential')
  expect(document.activeElement).toBe(first)
  expect(first.getAttribute('type')).toBe('password')
  await form.user.type(first, 'sk-1')
  for (const key of ['sk-2', 'sk-3']) {
    await form.user.click(screen.getByRole('button', { name: 'Add another credential' }))
    await form.user.keyboard(key)
  }
  await form.user.click(screen.getByRole('button', { name: 'Remove credential 2' }))
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
  expect(within(dialog).getByText('OpenAI requires a credential.')).toBeDefined()
  expect(form.gateway.callsOf('putProvider')).toEqual([])
})

test('a stored credential is kept when its field is left blank', async () => {
  const form = renderForm(providerRow('openai', { name: 'OpenAI' }))
  expect(screen.getByPlaceholderText('1 stored; leave blank to keep it')).toBeDefined()
  await form.user.clear(screen.getByLabelText('Priority'))
  await form.user.type(screen.getByLabelText('Priority'), '7')
  await form.save()
  await waitFor(() => expect(form.gateway.callsOf('putProvider')[0]?.body).toEqual({ priority: 7 }))
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
  const saved = {
    ...vertex,
    configured: true,
    hasCredential: true,
    credentialCount: 1,
    baseUrl: 'https://old',
  }
  gateway.on('listProviders', () => ({ data: [saved] }))
  await form.save()
  expect((await screen.findByRole('status')).textContent).toContain('Test failed')
  await screen.findByPlaceholderText('1 stored; leave blank to keep it')
  await form.user.clear(screen.getByLabelText('Location'))
  await form.user.type(screen.getByLabelText('Location'), 'global')
  gateway.on('testProvider', () => works)
  await form.save()
  expect(await screen.findByRole('dialog', { name: 'Google Vertex AI is ready' })).toBeDefined()
  expect(form.gateway.callsOf('putProvider')[1]?.body).toEqual({
    baseUrl: 'https://aiplatform.googleapis.com/v1/projects/our-project',
  })
})
