import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { currentChat, usePlayground } from '../../parts/chats/playground-store.ts'
import { FakeError, modelList } from '../../testing/fake-gateway.ts'
import { modelRow, providerRow } from '../../testing/rows.ts'
import { createGatewayWith, fails, fillCustom, renderForm, works } from './testing/render-form.tsx'

test('a custom server is saved and tested, and the number of its models is shown', async () => {
  const form = renderForm(null)
  expect(document.activeElement).toBe(screen.getByLabelText('Name'))
  await fillCustom(form, 'http://127.0.0.1:8080/v1/')
  await form.save()
  expect(await screen.findByRole('dialog', { name: 'My Server is ready' })).toBeDefined()
  expect(screen.getByRole('status').textContent).toBe('Connected in 120 ms, 2 models found.')
  const [put] = form.gateway.listCalls('putProvider')
  expect(put).toMatchObject({ id: 'my-server', body: { baseUrl: 'http://127.0.0.1:8080/v1' } })
  await form.user.click(screen.getByRole('button', { name: 'Done' }))
  expect(form.onClose).toHaveBeenCalledTimes(1)
})

test('a provider that works leads on: to a chat, to missing prices, and to a tool', async () => {
  const gateway = createGatewayWith(works).on('listModels', () =>
    modelList([
      modelRow('mock-alpha', { provider: 'my-server', providers: ['my-server'], pricing: null }),
      modelRow('other', { providers: ['openai'], pricing: null }),
    ]),
  )
  const form = renderForm(null, gateway)
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.save()
  const steps = within(await screen.findByRole('list', { name: 'Next steps' }))
  await steps.findByRole('button', { name: 'Set prices for 1 model' })
  expect(steps.getByRole('button', { name: 'Use it in a tool' })).toBeDefined()
  await form.user.click(steps.getByRole('button', { name: 'Try mock-alpha' }))
  expect(form.onClose).toHaveBeenCalledTimes(1)
  expect(currentChat(usePlayground.getState())?.models).toEqual(['mock-alpha'])
})

test('a custom server can have another API format', async () => {
  const form = renderForm(null)
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.user.click(screen.getByLabelText('API format'))
  await form.user.click(screen.getByRole('option', { name: /OpenAI Responses/ }))
  expect(screen.getByText('Everything before /responses.')).toBeDefined()
  await form.save()
  await waitFor(() =>
    expect(form.gateway.listCalls('putProvider')[0]?.body).toMatchObject({ apiFormat: 'openai-responses' }),
  )
})

test('a known provider has the format of its vendor', () => {
  renderForm(providerRow('openai', { consoleUrl: 'https://platform.openai.com' }))
  expect(screen.queryByLabelText('API format')).toBeNull()
})

test('invalid fields are reported next to them and nothing is sent', async () => {
  const form = renderForm(null)
  await form.user.type(screen.getByLabelText('Base URL'), 'ftp://example.org')
  await form.save()
  const baseUrl = screen.getByRole('textbox', { name: 'Base URL', description: /Enter an http or https URL/ })
  expect(baseUrl.getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByRole('textbox', { name: 'Name', description: /Enter a name/ })).toBeDefined()
  expect(form.gateway.listCalls('putProvider')).toEqual([])
})

test('a provider whose test fails is not saved until the user says so', async () => {
  const form = renderForm(null, createGatewayWith(fails))
  await fillCustom(form, 'http://127.0.0.1:8080/v1')
  await form.save()
  expect((await screen.findByRole('status')).textContent).toBe('Connection failed: Connection refused.')
  expect(form.gateway.listCalls('putProvider')).toEqual([])
  await form.user.click(screen.getByRole('button', { name: 'Save anyway' }))
  await waitFor(() => expect(form.onClose).toHaveBeenCalledTimes(1))
  expect(form.gateway.listCalls('putProvider')).toMatchObject([{ id: 'my-server' }])
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
  expect(gateway.listCalls('putProvider')).toMatchObject([{ id: 'my-server' }])
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
  expect(gateway.listCalls('putProvider')).toMatchObject([{ body: { baseUrl: suggestedBaseUrl } }])
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
  expect(gateway.listCalls('putProvider')).toHaveLength(1)
})

test('a credential is sent unencrypted to a public address only after consent', async () => {
  const form = renderForm(null)
  await fillCustom(form, 'http://llm.example.com/v1')
  expect(screen.queryByRole('switch')).toBeNull()
  await form.user.type(screen.getByLabelText('API key'), 'sk-1')
  const consent = screen.getByRole('switch', { name: 'Send the credential without encryption' })
  await form.save()
  expect(screen.getByRole('alert').textContent).toMatch(/Use an https URL/)
  expect(form.gateway.listCalls('putProvider')).toEqual([])
  await form.user.click(consent)
  expect(screen.queryByRole('alert')).toBeNull()
  await form.save()
  await waitFor(() =>
    expect(form.gateway.listCalls('putProvider')[0]?.body).toMatchObject({ allowInsecureHttp: true }),
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
    expect(form.gateway.listCalls('putProvider')[0]?.body).toMatchObject({ credentials: ['sk-1', 'sk-3'] }),
  )
})

test('a provider that needs a credential is not saved without one', async () => {
  const form = renderForm(
    providerRow('openai', { name: 'OpenAI', configured: false, hasCredential: false, credentialCount: 0 }),
  )
  await form.save()
  const dialog = screen.getByRole('dialog')
  expect(within(dialog).getByText('OpenAI requires an API key.')).toBeDefined()
  expect(form.gateway.listCalls('putProvider')).toEqual([])
})

test('a stored credential is kept when its field is left blank', async () => {
  const form = renderForm(providerRow('openai', { name: 'OpenAI' }))
  expect(screen.getByPlaceholderText('Saved. Leave blank to keep it.')).toBeDefined()
  await form.user.type(screen.getByLabelText('Name'), ' 2')
  await form.save()
  await waitFor(() => expect(form.gateway.listCalls('putProvider')[0]?.body).toEqual({ name: 'OpenAI 2' }))
})
