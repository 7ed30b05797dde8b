import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { modelRow } from '../../testing/rows.ts'
import { renderPlayground } from './testing/render-playground.tsx'

async function renderParameters() {
  const capable = modelRow('sandbox-small', { capabilities: ['tools', 'json', 'reasoning', 'streaming'] })
  const view = await renderPlayground(new FakeGateway().on('listModels', () => modelList([capable])))
  await view.user.click(screen.getByRole('button', { name: 'Parameters' }))
  const toggle = () => view.user.click(screen.getByRole('button', { name: 'Close' }))
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
  const { ask, requests, toggle, type, user } = await renderParameters()
  await type('System prompt', 'Be brief.')
  await type('Temperature', '0.5')
  await type('Max tokens', '100')
  await type('Top P', '0.9')
  await type('Seed', '7')
  await type('Stop sequences', 'END\n\\n\\n')
  await type('Presence penalty', '-0.5')
  await user.click(screen.getByRole('radio', { name: 'JSON schema' }))
  await type('JSON schema', '{"title": "My answer", "type": "object"}')
  await type('Other fields', '{"top_k": 5}')
  await toggle()
  await ask('Hi')
  await screen.findByText('Hello.')
  expect(requests()).toMatchObject([
    {
      temperature: 0.5,
      max_tokens: 100,
      top_p: 0.9,
      seed: 7,
      stop: ['END', '\n\n'],
      presence_penalty: -0.5,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'My_answer', schema: { title: 'My answer', type: 'object' } },
      },
      top_k: 5,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    },
  ])
})

test('mistakes are described at their fields, and keep a question from being sent', async () => {
  const { ask, requests, toggle, type, user } = await renderParameters()
  for (const [name, text, message] of [
    ['Temperature', '3', 'Enter a number from 0 to 2.'],
    ['Top P', '1.1', 'Enter a number from 0 to 1.'],
    ['Frequency penalty', '-3', 'Enter a number from −2 to 2.'],
    ['Max tokens', '1.5', 'Enter a whole number.'],
    ['Seed', 'x', 'Enter a whole number.'],
    ['Stop sequences', 'a\nb\nc\nd\ne', 'Enter at most 4 sequences.'],
    ['Tools', '{}', 'Enter a JSON array of tools: [ … ].'],
    ['Other fields', '[]', 'Enter a JSON object: { … }.'],
  ] as const) {
    const field = await type(name, text)
    expect(screen.getByRole('textbox', { name, description: message })).toBe(field)
    expect(field.getAttribute('aria-invalid')).toBe('true')
  }
  await toggle()
  await ask('Hi')
  expect(screen.getByText(/^Some parameters are not valid\./)).toBeDefined()
  expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', true)
  expect(screen.getByRole('textbox', { name: 'Message' })).toHaveProperty('value', 'Hi')
  expect(requests()).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Fix them' }))
  expect(screen.getByRole('textbox', { name: 'Temperature' }).getAttribute('aria-invalid')).toBe('true')
})

test('the example tool is inserted and sent', async () => {
  const { ask, requests, toggle, user } = await renderParameters()
  await user.click(screen.getByRole('button', { name: 'Insert an example' }))
  expect(screen.getByRole('textbox', { name: 'Tools', description: /by hand/ })).toBeDefined()
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

test('the slider sets the same value as the field', async () => {
  const { user } = await renderParameters()
  const thumb = screen.getByRole('slider', { name: 'Top P' })
  expect(thumb.getAttribute('aria-valuetext')).toBe('Default')
  thumb.focus()
  await user.keyboard('{ArrowLeft}{ArrowLeft}')
  expect(screen.getByRole('textbox', { name: 'Top P' })).toHaveProperty('value', '0.9')
  expect(thumb.getAttribute('aria-valuetext')).toBe('0.9')
})

test('what a model does not support is disabled, with the reason', async () => {
  const { user } = await renderPlayground(
    new FakeGateway().on('listModels', () => modelList([modelRow('small', { capabilities: ['streaming'] })])),
  )
  await user.click(screen.getByRole('button', { name: 'Parameters' }))
  expect(
    screen.getByRole('textbox', { name: 'Tools', description: 'small does not call tools.' }),
  ).toHaveProperty('disabled', true)
  expect(screen.getByText('small does not reason.')).toBeDefined()
  expect(screen.queryByRole('radio', { name: 'JSON' })).toBeNull()
})
