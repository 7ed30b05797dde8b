import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { modelRow } from '../../testing/rows.ts'
import { renderPlayground } from './testing/render-playground.tsx'

async function renderParameters() {
  const view = await renderPlayground()
  await view.user.click(screen.getByRole('button', { name: 'Parameters' }))
  const close = () => view.user.click(screen.getByRole('button', { name: 'Close' }))
  const type = async (name: string, text: string) => {
    const field = screen.getByRole('textbox', { name })
    await view.user.clear(field)
    // Brackets and braces are commands to `type`.
    await view.user.click(field)
    await view.user.paste(text)
    return field
  }
  return { ...view, close, type }
}

test('parameters are sent with the question', async () => {
  const { ask, requests, close, type, user } = await renderParameters()
  await type('System prompt', 'Be brief.')
  await type('Temperature', '0.5')
  await type('Max tokens', '100')
  await user.click(screen.getByRole('combobox', { name: 'Reasoning effort' }))
  await user.click(screen.getByRole('option', { name: 'low' }))
  await type('Other fields', '{"top_k": 5}')
  await close()
  await ask('Hi')
  await screen.findByText('Hello.')
  expect(requests()).toMatchObject([
    {
      temperature: 0.5,
      max_tokens: 100,
      reasoning_effort: 'low',
      top_k: 5,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    },
  ])
})

test('a mistake is described at its field, and keeps a question from being sent', async () => {
  const { ask, requests, close, type, user } = await renderParameters()
  const field = await type('Temperature', '3')
  expect(
    screen.getByRole('textbox', { name: 'Temperature', description: 'Enter a number from 0 to 2.' }),
  ).toBe(field)
  await close()
  await ask('Hi')
  expect(screen.getByText(/^Some parameters are not valid\./)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', true)
  expect(screen.getByRole('textbox', { name: 'Message' })).toHaveProperty('value', 'Hi')
  expect(requests()).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Fix them' }))
  await user.click(screen.getByRole('button', { name: 'Reset all' }))
  expect(screen.getByRole('textbox', { name: 'Temperature' })).toHaveProperty('value', '')
})

const twoModels = () =>
  new FakeGateway()
    .on('listModels', () => modelList([modelRow('gpt-5.5'), modelRow('gpt-5.5-mini')]))
    .onChat(({ model }) => ({ text: `I am ${model}` }))

test('models are compared side by side, and each has its own answer', async () => {
  const { ask, requests, user } = await renderPlayground(twoModels())
  await user.click(screen.getByRole('button', { name: 'Add model' }))
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
  await user.click(screen.getByRole('button', { name: 'Add model' }))
  await user.click(screen.getByRole('button', { name: 'Add model' }))
  expect(screen.queryByRole('button', { name: 'Add model' })).toBeNull()
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
