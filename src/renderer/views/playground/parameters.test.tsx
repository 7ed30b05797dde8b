// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { modelRow } from '../../testing/rows.ts'
import { renderPlayground } from './testing/render-playground.tsx'

async function renderParameters() {
  const view = await renderPlayground()
  const toggle = () => view.user.click(screen.getByRole('button', { name: 'Parameters' }))
  await toggle()
  const type = async (name: string, text: string) => {
    const field = screen.getByRole('textbox', { name })
    await view.user.clear(field)
    // Brackets and braces are commands to `type`.
    await view.user.click(field)
    await view.user.paste(text)
    return field
  }
  return { ...view, toggle, type }
}

test('parameters are sent with the question', async () => {
  const { ask, requests, toggle, type } = await renderParameters()
  await type('System prompt', 'Be brief.')
  await type('Temperature', '0.5')
  await type('Max tokens', '100')
  await type('Other parameters', '{"top_p": 0.9}')
  await toggle()
  await ask('Hi')
  await screen.findByText('Hello.')
  expect(requests()).toMatchObject([
    {
      temperature: 0.5,
      max_tokens: 100,
      top_p: 0.9,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    },
  ])
})

test.each([
  ['Temperature', '3', 'Enter a number from 0 to 2.'],
  ['Temperature', 'hot', 'Enter a number from 0 to 2.'],
  ['Max tokens', '1.5', 'Enter a whole number.'],
  ['Tools', '{}', 'Enter a JSON array of tools: [ … ].'],
  ['Tools', '[{"type":"function"}]', /^Tool 1, function:/],
  ['Other parameters', '{"temperature": 1}', 'Remove “temperature”. Use the Temperature field.'],
  ['Other parameters', '[]', 'Enter a JSON object: { … }.'],
])('%s does not accept %s', async (name, text, message) => {
  const { type } = await renderParameters()
  const field = await type(name, text)
  expect(screen.getByRole('textbox', { name, description: message })).toBe(field)
  expect(field.getAttribute('aria-invalid')).toBe('true')
})

test.each([
  ['Tools', '[', /^The tools are not valid\. Fix them under Parameters\.$/],
  ['Other parameters', '{', /^The other parameters are not valid\. Fix them under Parameters\.$/],
])('invalid %s keep a question from being sent', async (name, text, message) => {
  const { ask, requests, toggle, type } = await renderParameters()
  await type(name, text)
  await toggle()
  await ask('Hi')
  expect(screen.getByText(message)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', true)
  expect(screen.getByRole('textbox', { name: 'Message' })).toHaveProperty('value', 'Hi')
  expect(requests()).toEqual([])
})

test('the example tool is inserted and sent', async () => {
  const { ask, requests, toggle, user } = await renderParameters()
  await user.click(screen.getByRole('button', { name: 'Insert an example' }))
  expect(screen.getByRole('textbox', { name: 'Tools', description: /^1 tool\./ })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Insert an example' })).toBeNull()
  await toggle()
  await ask('Weather?')
  await screen.findByText('Hello.')
  expect(requests()).toMatchObject([{ tools: [{ function: { name: 'get_weather' } }] }])
})

const twoModels = () =>
  new FakeGateway()
    .on('listModels', () => modelList([modelRow('gpt-5.5'), modelRow('gpt-5.5-mini')]))
    .onChat(({ model }) => ({ text: `I am ${model}` }))

test('models are compared side by side, and each has its own answer', async () => {
  const { ask, requests, user } = await renderPlayground(twoModels())
  await user.click(screen.getByRole('button', { name: 'Compare' }))
  expect(screen.getByRole('combobox', { name: 'Model 2' }).textContent).toBe('gpt-5.5-mini')
  expect(screen.getByPlaceholderText('Message 2 models')).toBeDefined()
  await ask('Who are you?')
  await screen.findByText('I am gpt-5.5')
  await screen.findByText('I am gpt-5.5-mini')
  expect(requests().map((request) => 'model' in request && request.model)).toEqual([
    'gpt-5.5',
    'gpt-5.5-mini',
  ])
})

test('at most three models are compared, and each of them can be removed', async () => {
  const { user } = await renderPlayground(twoModels())
  expect(screen.queryByRole('button', { name: /^Remove model/ })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Compare' }))
  await user.click(screen.getByRole('button', { name: 'Compare' }))
  expect(screen.queryByRole('button', { name: 'Compare' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Remove model 1' }))
  expect(screen.getByRole('combobox', { name: 'Model' }).textContent).toBe('gpt-5.5-mini')
  expect(screen.queryByRole('combobox', { name: 'Model 3' })).toBeNull()
})

test('a model is found by typing a part of its name', async () => {
  const { ask, requests, user } = await renderPlayground(twoModels())
  await user.click(screen.getByRole('combobox', { name: 'Model' }))
  await user.keyboard('mini')
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('gpt-5.5-mini'),
  ])
  await user.keyboard('{Enter}')
  expect(screen.getByRole('combobox', { name: 'Model' }).textContent).toBe('gpt-5.5-mini')
  await ask('Who are you?')
  await screen.findByText('I am gpt-5.5-mini')
  expect(requests()).toMatchObject([{ model: 'gpt-5.5-mini' }])
})
