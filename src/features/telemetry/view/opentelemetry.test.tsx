import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderSettings } from '../../../renderer/features/settings/testing/render-settings.tsx'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import * as rows from '../../../renderer/testing/rows.ts'
import type { Telemetry, TelemetryUpdate } from '../api/telemetry.ts'

/** Shows the section over a gateway that stores what is changed. */
async function renderIntegrations(given: Partial<Telemetry> = {}) {
  let telemetry: Telemetry = { ...rows.telemetry, ...given }
  const gateway = new FakeGateway()
  gateway.on('getTelemetry', () => telemetry)
  gateway.on('updateTelemetry', ({ body }) => {
    const { headers, ...update } = body as TelemetryUpdate
    telemetry = { ...telemetry, ...(update as Partial<Telemetry>) }
    if (headers) telemetry = { ...telemetry, headerNames: Object.keys(headers) }
    return telemetry
  })
  const { user } = await renderSettings('OpenTelemetry', gateway)
  await screen.findByRole('textbox', { name: 'OTLP endpoint' })
  return {
    gateway,
    user,
    bodies: () => gateway.listCalls('updateTelemetry').map(({ body }) => body),
  }
}

test('an endpoint turns the export on, and what is wrong with it is said while it is typed', async () => {
  const { user, bodies } = await renderIntegrations()
  const field = screen.getByRole('textbox', { name: 'OTLP endpoint' })
  expect(screen.queryByRole('switch', { name: 'Send traces' })).toBeNull()
  await user.type(field, 'localhost')
  expect(field).toHaveProperty('ariaInvalid', 'true')
  await user.clear(field)
  await user.type(field, 'http://localhost:4318{Enter}')
  await screen.findByRole('switch', { name: 'Send traces' })
  expect(bodies()).toEqual([{ endpoint: 'http://localhost:4318' }])
})

test('prompts are included only after a warning, which stays in sight', async () => {
  const { user, bodies } = await renderIntegrations({ endpoint: 'http://localhost:4318' })
  await user.click(await screen.findByRole('switch', { name: 'Include prompts and answers' }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Send prompts and answers?' })
  expect(bodies()).toEqual([])
  await user.click(within(dialog).getByRole('button', { name: 'Send prompts and answers' }))
  await screen.findByText('Everything that you send and receive goes to this collector.')
  await user.click(screen.getByRole('switch', { name: 'Include prompts and answers' }))
  await waitFor(() => expect(bodies()).toEqual([{ includePrompts: true }, { includePrompts: false }]))
})

test('headers are entered one a line, and only their names are shown', async () => {
  const { user, bodies } = await renderIntegrations({ endpoint: 'http://localhost:4318' })
  await user.click(await screen.findByRole('button', { name: 'Add headers' }))
  const field = screen.getByRole('textbox', { name: 'Headers' })
  await user.type(field, 'no header')
  await user.click(screen.getByRole('button', { name: 'Save headers' }))
  expect(screen.getByText('Enter one header a line: a name, a colon and a value.')).toBeTruthy()
  await user.clear(field)
  await user.type(field, 'Authorization: Bearer s3cret')
  await user.click(screen.getByRole('button', { name: 'Save headers' }))
  await screen.findByText('Authorization')
  expect(bodies()).toEqual([{ headers: { Authorization: 'Bearer s3cret' } }])
  expect(document.body.textContent).not.toContain('s3cret')
})

test('a failed export is shown with its reason', async () => {
  await renderIntegrations({
    endpoint: 'http://localhost:4318',
    activeEndpoint: 'http://localhost:4318',
    lastProblem: { at: '2026-11-22T12:00:00.000Z', message: 'localhost:4318 cannot be reached.' },
  })
  expect(await screen.findByText('localhost:4318 cannot be reached.')).toBeTruthy()
})
