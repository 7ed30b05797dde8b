import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { ModelOverride, ModelRecord } from '../../../shared/api/models.ts'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { modelRow, providerRow } from '../../testing/rows.ts'
import { Models } from './models.tsx'

let gateway: FakeGateway
/** The model at the gateway. */
let model: ModelRecord

beforeEach(() => {
  model = modelRow('fast')
  gateway = new FakeGateway()
    .on('listModels', () => modelList([model, modelRow('slow', { provider: 'local', providers: ['local'] })]))
    .on('putModel', ({ body }) => {
      const override = body as ModelOverride
      model = { ...model, override, overridden: true, enabled: override.enabled !== false }
      return model
    })
    .on('deleteModel', () => {
      model = modelRow('fast')
      return { id: 'fast', deleted: true }
    })
})

const row = (name: string) => screen.findByRole('row', { name })
const isOn = () => screen.getByRole('switch', { name: 'Use fast' }).getAttribute('aria-checked') === 'true'

function changes() {
  return gateway.calls
    .filter(({ operation }) => operation === 'putModel' || operation === 'deleteModel')
    .map(({ operation, body }) => [operation, body])
}

test('a model is shown as disabled before the gateway responds', async () => {
  const { answer } = gateway.hold('putModel')
  const { user } = renderView(<Models />, { gateway })
  await row('fast')
  await user.click(screen.getByRole('switch', { name: 'Use fast' }))
  await waitFor(() => expect(isOn()).toBe(false))
  model = { ...model, enabled: false, overridden: true, override: { enabled: false } }
  answer(model)
  await waitFor(() => expect(gateway.listCalls('listModels')).toHaveLength(2))
  expect(isOn()).toBe(false)
  expect(changes()).toEqual([['putModel', { enabled: false }]])
})

test('a model that could not be disabled is shown as enabled again, with the error until the next attempt', async () => {
  const { user } = renderView(<Models />, { gateway: gateway.fail('putModel', 'The disk is full.') })
  await row('fast')
  await user.click(screen.getByRole('switch', { name: 'Use fast' }))
  expect(await screen.findByText('Could not be disabled: The disk is full.')).toBeDefined()
  expect(isOn()).toBe(true)
  gateway.on('putModel', () => {
    model = { ...model, enabled: false, overridden: true, override: { enabled: false } }
    return model
  })
  await user.click(screen.getByRole('switch', { name: 'Use fast' }))
  await waitFor(() => expect(isOn()).toBe(false))
  expect(screen.queryByText(/Could not be/)).toBeNull()
})

test('enabling a model again leaves no override if there was none', async () => {
  const { user } = renderView(<Models />, { gateway })
  await row('fast')
  await user.click(screen.getByRole('switch', { name: 'Use fast' }))
  await within(await row('fast')).findByText('Off')
  await user.click(screen.getByRole('switch', { name: 'Use fast' }))
  await waitFor(() => expect(changes().at(-1)).toEqual(['deleteModel', undefined]))
})

test('when the switch is changed several times, the last change wins', async () => {
  const { user } = renderView(<Models />, { gateway })
  await row('fast')
  const toggle = screen.getByRole('switch', { name: 'Use fast' })
  await user.click(toggle)
  await user.click(toggle)
  await user.click(toggle)
  await waitFor(() => expect(model.enabled).toBe(false))
  await waitFor(() => expect(changes().length).toBeGreaterThan(0))
  expect(isOn()).toBe(false)
})

test('the day on which a vendor retires a model is shown', async () => {
  const on = (retirement: string) => ({ on: retirement, source: 'https://vendor.example/deprecations' })
  const list = [
    modelRow('gone', { retirement: on('2020-01-02') }),
    modelRow('later', { retirement: on('2999-12-11') }),
    modelRow('fast'),
  ]
  renderView(<Models />, { gateway: gateway.on('listModels', () => modelList(list)) })
  expect(within(await row('gone')).getByText('Retired 2 Jan 2020')).toBeDefined()
  const badge = within(await row('later')).getByText('Retires 11 Dec 2999')
  expect(badge.parentElement?.title).toBe('Announced at https://vendor.example/deprecations')
  expect(within(await row('fast')).queryByText(/Retire/)).toBeNull()
})

test('the filter in the address selects the models', async () => {
  renderView(<Models />, { gateway, path: '/models?provider=local' })
  await row('slow')
  expect(screen.queryByRole('row', { name: 'fast' })).toBeNull()
  expect(screen.getByText('1 model')).toBeDefined()
})

test('a search without a match shows a message', async () => {
  const { user } = renderView(<Models />, { gateway })
  await user.type(await screen.findByLabelText('Search models'), 'gemini')
  expect(await screen.findByText('No models match this filter.')).toBeDefined()
})

test('the address opens the editor of a model, and closing it leaves the filter', async () => {
  const { user, history } = renderView(<Models />, { gateway, path: '/models?q=fa&edit=fast' })
  const dialog = await screen.findByRole('dialog', { name: 'fast' })
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(history.at(-1)).toBe('/models?q=fa')
})

test('an alias needs an unused name and a provider', async () => {
  gateway.on('listProviders', () => ({ data: [] }))
  const { user } = renderView(<Models />, { gateway })
  await row('fast')
  await user.click(screen.getByRole('button', { name: 'Add alias' }))
  const dialog = await screen.findByRole('dialog')
  await user.type(within(dialog).getByLabelText('Alias'), 'fast')
  await user.click(within(dialog).getByRole('button', { name: 'Add alias' }))
  expect(
    within(dialog).getByText('A model with this name already exists. Edit that one instead.'),
  ).toBeDefined()
  expect(within(dialog).getByText('Choose a provider.')).toBeDefined()
  expect(changes()).toEqual([])
})

const unpriced = (id: string) => modelRow(id, { pricing: null, priceOrigin: null })
const suggestion = {
  model: 'gpt-4o',
  knownAs: 'gpt-4o',
  provider: 'OpenAI',
  match: 'exact' as const,
  pricing: { inputPerMillion: 2.5, outputPerMillion: 10 },
}

test('models without a price are found from the notice, and a suggested price is used', async () => {
  gateway
    .on('listModels', () => modelList([unpriced('gpt-4o'), unpriced('own-model'), modelRow('slow')]))
    .on('listPriceSuggestions', () => ({ data: [suggestion] }))
  const { user, history } = renderView(<Models />, { gateway, path: '/models' })
  await screen.findByText(/^2 models have no price/)
  await user.click(screen.getByRole('button', { name: 'Set prices' }))
  expect(history.at(-1)).toBe('/models?price=none')
  expect(screen.queryByRole('row', { name: 'slow' })).toBeNull()
  await within(await row('gpt-4o')).findByText('gpt-4o at OpenAI')
  expect(within(await row('gpt-4o')).getByText('$2.50 / $10.00')).toBeDefined()
  expect(within(await row('own-model')).getByText('None known')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Use this price for gpt-4o' }))
  await waitFor(() => expect(changes()).toEqual([['putModel', { pricing: suggestion.pricing }]]))
})

test('several models get one price, and keep their other settings', async () => {
  const off = { ...unpriced('b'), enabled: false, override: { enabled: false } }
  gateway.on('listModels', () => modelList([unpriced('a'), off, modelRow('c')]))
  const { user } = renderView(<Models />, { gateway })
  await user.click(await screen.findByRole('checkbox', { name: 'Select a' }))
  await user.click(screen.getByRole('checkbox', { name: 'Select b' }))
  expect(screen.getByText('2 models selected')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Set price' }))
  const dialog = await screen.findByRole('dialog', { name: 'Price of 2 models' })
  await user.click(within(dialog).getByRole('button', { name: 'Set price' }))
  expect(within(dialog).getAllByText('Enter a price; 0 is free.')).toHaveLength(2)
  await user.type(within(dialog).getByLabelText('Input, USD per million tokens'), '0.5')
  await user.type(within(dialog).getByLabelText('Output, USD per million tokens'), '2')
  await user.click(within(dialog).getByRole('button', { name: 'Set price' }))
  await waitFor(() => expect(screen.queryByText('2 models selected')).toBeNull())
  const pricing = { inputPerMillion: 0.5, outputPerMillion: 2 }
  expect(changes()).toEqual([
    ['putModel', { pricing }],
    ['putModel', { enabled: false, pricing }],
  ])
})

test('all models that a filter shows are set to free at once', async () => {
  gateway.on('listModels', () => modelList([unpriced('a'), unpriced('b'), modelRow('c')]))
  const { user } = renderView(<Models />, { gateway, path: '/models?price=none' })
  await user.click(await screen.findByRole('checkbox', { name: 'Select all models' }))
  await user.click(screen.getByRole('button', { name: 'Set price' }))
  await user.click(await screen.findByRole('radio', { name: 'Free (local)' }))
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Set price' }))
  const pricing = { inputPerMillion: 0, outputPerMillion: 0 }
  await waitFor(() =>
    expect(changes()).toEqual([
      ['putModel', { pricing }],
      ['putModel', { pricing }],
    ]),
  )
})

test('models are sorted by price, those without one last', async () => {
  const priced = (id: string, inputPerMillion: number) =>
    modelRow(id, { pricing: { inputPerMillion, outputPerMillion: 1 } })
  gateway.on('listModels', () => modelList([unpriced('a'), priced('b', 3), priced('c', 1)]))
  const { user } = renderView(<Models />, { gateway })
  await row('a')
  const ids = () =>
    screen
      .getAllByRole('row')
      .slice(1)
      .map((one) => one.getAttribute('aria-label'))
  expect(ids()).toEqual(['a', 'b', 'c'])
  await user.click(screen.getByRole('button', { name: 'Input' }))
  expect(ids()).toEqual(['c', 'b', 'a'])
  await user.click(screen.getByRole('button', { name: 'Input' }))
  expect(ids()).toEqual(['b', 'c', 'a'])
})

test('an alias names its model, and unknown capabilities are not stated', async () => {
  const alias = modelRow('quick', {
    override: { provider: 'openai', upstreamModel: 'gpt-5.4-mini', fallbacks: ['slow'] },
    fallbacks: ['slow'],
    capabilitiesKnown: false,
  })
  gateway
    .on('listModels', () => modelList([alias]))
    .on('listProviders', () => ({ data: [providerRow('openai', { name: 'OpenAI' })] }))
  renderView(<Models />, { gateway })
  const shown = await row('quick')
  expect(within(shown).getByText('Alias of gpt-5.4-mini, then slow')).toBeDefined()
  expect(within(shown).getByText('Unknown')).toBeDefined()
  expect(await within(shown).findByText('OpenAI')).toBeDefined()
})

test('a price that is not per token is shown where the price is edited', async () => {
  model = { ...model, pricing: { inputPerMillion: 0, outputPerMillion: 0, perAudioMinute: 0.006 } }
  const { user } = renderView(<Models />, { gateway })
  expect((await row('fast')).textContent).toContain('$0.006 per minute')
  await user.click(screen.getByRole('button', { name: 'Edit fast' }))
  expect(screen.getByRole('dialog').textContent).toContain('Known: $0.006 per minute, price database')
})
