import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderPlayground } from './testing/render-playground.tsx'

const call = (city: string) => ({
  id: `call_${city}`,
  name: `weather_${city}`,
  arguments: `{"city":"${city}"}`,
})

/** Calls the tools for a question, and answers with their results. */
function toolGateway(...cities: string[]) {
  return new FakeGateway().onChat(({ messages }) => {
    if (messages.at(-1)?.role === 'user') return { toolCalls: cities.map(call) }
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    return { text: `It is ${results.join(' and ')}.` }
  })
}

test('tool calls are shown with their arguments and wait for typed results', async () => {
  const { ask, requests, user } = await renderPlayground(toolGateway('Rome'))
  await ask('Weather?')
  const calls = await screen.findByRole('list', { name: 'Tool calls' })
  expect(within(calls).getByText('weather_Rome')).toBeDefined()
  expect(calls.querySelector('pre')?.textContent).toBe('{\n  "city": "Rome"\n}')
  const send = await screen.findByRole('button', { name: 'Send results' })
  expect(send).toHaveProperty('disabled', true)
  await user.type(screen.getByRole('textbox', { name: 'Result of weather_Rome' }), 'sunny')
  await user.click(send)
  await screen.findByText('It is sunny.')
  expect(requests()[1]?.messages).toMatchObject([
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', tool_calls: [{ id: 'call_Rome' }] },
    { role: 'tool', tool_call_id: 'call_Rome', content: 'sunny' },
  ])
})

test('parallel calls need all results, and Ctrl+Enter sends them', async () => {
  const { ask, requests, user } = await renderPlayground(toolGateway('Rome', 'Oslo'))
  await ask('Weather?')
  await user.type(
    await screen.findByRole('textbox', { name: 'Result of weather_Rome' }),
    'sunny{Control>}{Enter}{/Control}',
  )
  expect(requests()).toHaveLength(1)
  await user.type(
    screen.getByRole('textbox', { name: 'Result of weather_Oslo' }),
    'grey{Control>}{Enter}{/Control}',
  )
  expect(await screen.findByText('It is sunny and grey.')).toBeDefined()
})

test('a regenerated call drops the results of the earlier call from the conversation', async () => {
  let calls = 0
  const gateway = new FakeGateway().onChat(({ messages }) => {
    if (messages.at(-1)?.role !== 'user') return { text: 'Done.' }
    calls += 1
    return { toolCalls: [{ ...call('Rome'), id: `call_${calls}` }] }
  })
  const { ask, user } = await renderPlayground(gateway)
  await ask('Weather?')
  await user.type(await screen.findByRole('textbox', { name: 'Result of weather_Rome' }), 'sunny')
  await user.click(screen.getByRole('button', { name: 'Send results' }))
  await screen.findByText('Done.')
  await user.click(screen.getAllByRole('button', { name: 'Regenerate' })[0] as HTMLElement)
  expect(await screen.findByRole('button', { name: 'Send results' })).toBeDefined()
  expect(screen.queryByText('Done.')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Previous version' }))
  expect(await screen.findByText('Done.')).toBeDefined()
})
