import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { gatewayInfo, providerRow } from '../../testing/rows.ts'
import { createGatewayWith, fails, fillCustom, renderForm, works } from './testing/render-form.tsx'

test('a pasted endpoint and a key with “Bearer” are corrected', async () => {
  const form = renderForm(null)
  await fillCustom(form, 'http://127.0.0.1:8080/v1/chat/completions')
  await form.user.type(screen.getByLabelText('API key'), 'Bearer sk-1')
  expect(screen.getByLabelText('Base URL')).toHaveProperty('value', 'http://127.0.0.1:8080/v1')
  await form.save()
  await waitFor(() =>
    expect(form.gateway.listCalls('putProvider')[0]?.body).toMatchObject({
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
  await waitFor(() => expect(form.gateway.listCalls('putProvider')).toHaveLength(1))
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
    expect(form.gateway.listCalls('putProvider')[0]?.body).toEqual({
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
  expect(form.gateway.listCalls('putProvider')[0]?.body).toMatchObject({
    baseUrl: 'https://aiplatform.googleapis.com/v1/projects/our-project',
    credential: 'key',
  })
})

test('a known provider is first tested through the network chosen for it', async () => {
  const form = renderForm(
    providerRow('groq', { configured: false, hasCredential: false, credentialCount: 0 }),
  )
  await form.user.type(screen.getByLabelText('API key'), 'gsk-1')
  await form.user.click(screen.getByLabelText('Network'))
  await form.user.click(screen.getByRole('option', { name: 'This computer’s proxy and certificates' }))
  await form.save()
  await waitFor(() => expect(form.gateway.listCalls('putProvider')).toHaveLength(1))
  for (const call of [form.gateway.listCalls('tryProvider')[0], form.gateway.listCalls('putProvider')[0]]) {
    expect(call?.body).toMatchObject({ credential: 'gsk-1', network: 'system' })
  }
})
