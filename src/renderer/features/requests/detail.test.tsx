import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { Settings, SettingsUpdate } from '../../../shared/api/account.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { account, keyRow, modelRow, requestRow, settings, storedBodies } from '../../testing/rows.ts'
import { Requests } from './requests.tsx'

const stored = { bodiesKept: true, endpoint: 'POST /v1/chat/completions' }
const messages = [
  { role: 'system' as const, content: 'Be brief.' },
  { role: 'user' as const, content: 'Where is Bern?' },
]
const bodies = storedBodies({ messages }, [{ role: 'assistant', content: 'In **Switzerland**.' }])

async function openDetail(part: Partial<RequestRecord>, gateway = new FakeGateway()) {
  const record = requestRow('a', 1, part)
  gateway
    .on('listRequests', () => ({ data: [record], nextCursor: null }))
    .on('getRequest', () => record)
    .on('getRequestBodies', () => bodies)
  const view = renderView(<Requests openId="a" />, { gateway, path: '/requests/a' })
  const panel = within(await screen.findByRole('dialog', { name: 'Request' }))
  const show = (name: string) => view.user.click(panel.getByRole('tab', { name }))
  return { ...view, panel, show }
}

test('the messages of a stored request are shown, and its bodies as they were', async () => {
  const { panel, show, gateway } = await openDetail(stored)
  await panel.findByText('Details')
  expect(gateway.listCalls('getRequestBodies')).toHaveLength(0)
  await show('Messages')
  expect(within(await panel.findByRole('article', { name: 'System' })).getByText('Be brief.')).toBeDefined()
  expect(panel.getByRole('article', { name: 'User' }).textContent).toContain('Where is Bern?')
  expect(panel.getByRole('article', { name: 'Assistant' }).textContent).toContain('Switzerland')
  await show('Raw request')
  expect(await panel.findByText(/"role": "system"/)).toBeDefined()
  await show('Raw response')
  expect(await panel.findByText(/"choices"/)).toBeDefined()
  expect(gateway.listCalls('getRequestBodies')).toHaveLength(1)
  await show('Overview')
})

test('the kinds and places of secrets in the prompt are shown', async () => {
  const { panel } = await openDetail({ secrets: [{ kind: 'GitHub token', position: 'messages[3]' }] })
  const heading = await panel.findByText('The prompt had a secret')
  expect(heading.parentElement?.textContent).toContain('GitHub token messages[3]')
})

test('the model and the provider of a request lead to what is known of them', async () => {
  const { panel } = await openDetail({ model: 'openai/gpt-5.5', provider: 'openai' })
  const href = (name: string) => panel.getByRole('link', { name }).getAttribute('href')
  await panel.findByText('Details')
  expect(href('openai/gpt-5.5')).toBe('/models?edit=openai%2Fgpt-5.5')
  expect(href('openai')).toBe('/requests?provider=openai')
})

test('the advice for a refused request is true when it is read', async () => {
  let pausedAt: string | null = '2026-11-21T12:00:00.000Z'
  const gateway = new FakeGateway().on('getAccount', () => ({ ...account, pausedAt }))
  const error = { type: 'permission_error', code: 'paused', message: 'Everything is paused.' } as const
  const { panel } = await openDetail({ status: 'refused', httpStatus: 403, error }, gateway)
  expect(await panel.findByText(/Choose Resume in the banner/)).toBeDefined()
  pausedAt = null
  gateway.send({ type: 'account', account: { ...account, pausedAt } })
  expect(await panel.findByText('Everything was paused then. It has been resumed.')).toBeDefined()
  expect(panel.queryByText(/Choose Resume/)).toBeNull()
})

test('what was not stored is said, with a button that turns on storage', async () => {
  let storeBodies = false
  const gateway = new FakeGateway()
    .on('getSettings', () => ({ ...settings, storeBodies }))
    .on('updateSettings', () => {
      storeBodies = true
      return { ...settings, storeBodies }
    })
  const { panel, show, user } = await openDetail({}, gateway)
  await show('Messages')
  await user.click(await panel.findByRole('button', { name: 'Turn on storage' }))
  expect(await panel.findByText(/Storage is on/)).toBeDefined()
  expect(gateway.listCalls('updateSettings').map(({ body }) => body)).toEqual([
    { storeBodies: true, storeBodiesUntil: null },
  ])
  expect(gateway.listCalls('getRequestBodies')).toHaveLength(0)
  await show('Overview')
})

test('what stays reserved after a request is released in its panel, unless it was before', async () => {
  const held = {
    costStatus: 'unsettled',
    heldUsd: 0.42,
    heldUntil: new Date(Date.now() + 1_800_000).toISOString(),
  } as const
  const gateway = new FakeGateway().fail('releaseRequest', 'Nothing is held for this request.')
  const { panel, user } = await openDetail(held, gateway)
  const text = /^\$0\.42 stays reserved until \d\d:\d\d, because the provider may still bill it\.$/
  expect(await panel.findByText(text)).toBeDefined()
  const release = panel.getByRole('button', { name: 'Release' })
  await user.click(release)
  expect((await panel.findByRole('alert')).textContent).toBe('Nothing is held for this request.')

  gateway.on('releaseRequest', () => requestRow('a', 1, { costStatus: 'unsettled' }))
  await user.click(release)
  expect(await screen.findByText(/^Released \$0\.42\./)).toBeDefined()
  expect(panel.queryByText(text)).toBeNull()
})

test('a reservation that has ended is not shown', async () => {
  const { panel } = await openDetail({ heldUsd: 0.42, heldUntil: '2026-11-01T00:00:00.000Z' })
  await panel.findByText('Details')
  expect(panel.queryByRole('button', { name: 'Release' })).toBeNull()
})

test('storage can be turned on for a while', async () => {
  let current = settings
  const gateway = new FakeGateway()
    .on('getSettings', () => current)
    .on('updateSettings', ({ body }) => {
      current = Settings.parse({ ...current, ...SettingsUpdate.parse(body) })
      return current
    })
  const { panel, show, user } = await openDetail({}, gateway)
  await show('Raw response')
  await user.click(await panel.findByRole('button', { name: 'Store for 30 minutes' }))
  expect(await panel.findByText(/Storage is on until \d\d:\d\d\./)).toBeDefined()
  expect(current.storeBodies).toBe(false)
  await show('Overview')
})

test('a key whose prompts are never stored is named', async () => {
  const gateway = new FakeGateway().on('listKeys', () => ({
    data: [keyRow('key_1', { storeBodies: false })],
  }))
  const { panel, show } = await openDetail({}, gateway)
  await show('Messages')
  expect(await panel.findByText(/of the key “SDK” are never stored/)).toBeDefined()
  await show('Overview')
})

test.each([
  ['stored', stored, 'Where is Bern?'],
  ['without a stored prompt', { endpoint: 'POST /v1/responses' }, 'Your message'],
] as const)('a request %s can be copied as curl', async (_, part, message) => {
  const { panel, user } = await openDetail(part)
  await user.click(await panel.findByRole('button', { name: 'Copy as code' }))
  const written = vi.spyOn(navigator.clipboard, 'writeText')
  await user.click(await screen.findByRole('menuitem', { name: 'Copy as curl' }))
  await waitFor(() => expect(written).toHaveBeenCalledWith(expect.stringContaining(message)))
  expect(written.mock.lastCall?.[0]).toContain(`http://127.0.0.1:8655${part.endpoint.split(' ')[1]}`)
})

test('a request is compared with the step before it of the same agent', async () => {
  const agent = { id: 'one', parentId: null, type: null, role: 'subagent' as const, toolMs: {} }
  const { panel, gateway, user, history } = await openDetail({ sessionId: 'ses_1', agent })
  await panel.findByText('Details')
  gateway.on('listRequests', () => ({
    data: [
      requestRow('other', 0),
      requestRow('failed', 0, { agent, status: 'failed' }),
      requestRow('b', 0, { agent }),
    ],
    nextCursor: null,
  }))
  await user.click(panel.getByRole('button', { name: 'Compare with the previous step' }))
  await waitFor(() => expect(history?.at(-1)).toBe('/compare/b/a'))
  expect(gateway.listCalls('listRequests').at(-1)?.query).toMatchObject({ session: 'ses_1' })
})

test('the first step of a session has none before it', async () => {
  const { panel, user } = await openDetail({ sessionId: 'ses_1' })
  await panel.findByText('Details')
  await user.click(panel.getByRole('button', { name: 'Compare with the previous step' }))
  expect(await panel.findByText('There is no step before it in its session.')).toBeDefined()
})

test('a wrong model name is made an alias of the model that was probably meant', async () => {
  const error = {
    type: 'not_found_error' as const,
    code: 'model_not_found',
    message: 'There is no model "gpt4o-mini".',
  }
  const gateway = new FakeGateway()
    .on('listModels', () =>
      modelList([modelRow('claude-opus-5'), modelRow('gpt-4o-mini', { provider: 'openai' })]),
    )
    .on('putModel', () => modelRow('gpt4o-mini'))
  const rejected = { status: 'rejected' as const, model: null, requestedModel: 'gpt4o-mini', error }
  const { panel, user } = await openDetail(rejected, gateway)
  expect((await panel.findByRole('combobox', { name: 'Model for gpt4o-mini' })).textContent).toContain(
    'gpt-4o-mini',
  )
  await user.click(panel.getByRole('button', { name: 'Add alias' }))
  await waitFor(() => expect(gateway.listCalls('putModel')).toHaveLength(1))
  expect(gateway.listCalls('putModel')[0]).toMatchObject({
    id: 'gpt4o-mini',
    body: { provider: 'openai', upstreamModel: 'gpt-4o-mini' },
  })
})

test('a finger closes the panel by moving to the right, not by scrolling it', async () => {
  const { history } = await openDetail(stored)
  const dialog = screen.getByRole('dialog', { name: 'Request' })
  const swipe = (from: [number, number], to: [number, number]) => {
    const at = ([clientX, clientY]: [number, number]) => [{ clientX, clientY }]
    fireEvent.touchStart(dialog, { touches: at(from) })
    fireEvent.touchEnd(dialog, { changedTouches: at(to) })
  }
  swipe([100, 100], [150, 100])
  swipe([100, 100], [220, 400])
  swipe([200, 100], [50, 100])
  expect(history.at(-1)).toBe('/requests/a')
  swipe([100, 100], [220, 120])
  expect(history.at(-1)).toBe('/requests')
})
