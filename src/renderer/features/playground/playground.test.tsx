import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { createChat, createExchange } from '../../parts/chats/testing/chats.ts'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { requestRow, runningRow } from '../../testing/rows.ts'
import { getShownAnswers, renderPlayground } from './testing/render-playground.tsx'

/** Answers each question with its last user message, and a number for each further request. */
function createEchoGateway() {
  let count = 0
  return new FakeGateway().onChat(({ messages }) => {
    count += 1
    const last = messages.findLast(({ role }) => role === 'user')
    return { text: `Answer ${count} to ${typeof last?.content === 'string' ? last.content : '?'}` }
  })
}

test('a question is answered, with tokens, cost and a link to the request', async () => {
  const { ask, requests } = await renderPlayground(
    new FakeGateway().onChat(() => ({ text: 'Rome.', costUsd: 0.25 })),
  )
  await ask('Capital of Italy?')
  const answer = await screen.findByRole('article', { name: 'Answer' })
  await within(answer).findByText('Rome.')
  expect(await within(answer).findByText('3 in, 2 out')).toBeDefined()
  expect(within(answer).getByText('$0.25')).toBeDefined()
  expect(within(answer).getByRole('link', { name: 'Receipt' }).getAttribute('href')).toBe(
    '/requests/req_chat',
  )
  expect(requests()).toMatchObject([
    { model: 'sandbox-small', stream: true, messages: [{ role: 'user', content: 'Capital of Italy?' }] },
  ])
})

test('the next question is sent with the conversation so far', async () => {
  const { ask, requests } = await renderPlayground(createEchoGateway())
  await ask('one')
  await screen.findByText('Answer 1 to one')
  await ask('two')
  await screen.findByText('Answer 2 to two')
  expect(requests()[1]?.messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'Answer 1 to one' },
    { role: 'user', content: 'two' },
  ])
})

test('an edited question is another version, and the user can switch between them', async () => {
  const { ask, requests, user } = await renderPlayground(createEchoGateway())
  await ask('one')
  await screen.findByText('Answer 1 to one')
  await ask('two')
  await screen.findByText('Answer 2 to two')
  await user.click(screen.getAllByRole('button', { name: 'Edit question' })[0] as HTMLElement)
  const field = screen.getByRole('textbox', { name: 'Question' })
  expect(document.activeElement).toBe(field)
  await user.clear(field)
  await user.type(field, 'three{Enter}')
  await screen.findByText('Answer 3 to three')
  expect(getShownAnswers()).toEqual(['Answer 3 to three'])
  expect(requests()[2]?.messages).toEqual([{ role: 'user', content: 'three' }])
  expect(screen.getByText('2 of 2')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Previous version' }))
  expect(getShownAnswers()).toEqual(['Answer 1 to one', 'Answer 2 to two'])
  await user.click(screen.getByRole('button', { name: 'Next version' }))
  expect(getShownAnswers()).toEqual(['Answer 3 to three'])
})

test('Escape cancels editing a question', async () => {
  const { ask, requests, user } = await renderPlayground(createEchoGateway())
  await ask('one')
  await screen.findByText('Answer 1 to one')
  await user.click(screen.getByRole('button', { name: 'Edit question' }))
  await user.keyboard(' and more{Escape}')
  expect(screen.queryByRole('textbox', { name: 'Question' })).toBeNull()
  expect(screen.getByText('one')).toBeDefined()
  expect(requests()).toHaveLength(1)
})

test('a regenerated answer replaces the earlier one, which can be shown again', async () => {
  const { ask, requests, user } = await renderPlayground(createEchoGateway())
  await ask('one')
  await screen.findByText('Answer 1 to one')
  await user.click(screen.getByRole('button', { name: 'Regenerate' }))
  await screen.findByText('Answer 2 to one')
  expect(getShownAnswers()).toEqual(['Answer 2 to one'])
  expect(requests()[1]).toEqual(requests()[0])
  await user.click(await screen.findByRole('button', { name: 'Previous version' }))
  expect(getShownAnswers()).toEqual(['Answer 1 to one'])
  expect(screen.getByRole('button', { name: 'Previous version' })).toHaveProperty('disabled', true)
  await user.click(screen.getByRole('button', { name: 'Next version' }))
  expect(getShownAnswers()).toEqual(['Answer 2 to one'])
})

test('a stopped answer keeps what was received, and another question can be sent', async () => {
  const gateway = new FakeGateway().onChat(() => ({ text: 'Once upon', open: true }))
  const { ask, user } = await renderPlayground(gateway)
  await ask('A story')
  await screen.findByText('Once upon')
  expect(screen.queryByRole('button', { name: 'Send' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Stop' }))
  expect(await screen.findByText('Stopped')).toBeDefined()
  expect(getShownAnswers()).toEqual(['Once upon'])
  expect(screen.queryByRole('alert')).toBeNull()
  gateway.onChat(() => ({ text: 'Fine.' }))
  await ask('Shorter')
  expect(await screen.findByText('Fine.')).toBeDefined()
})

test('another answer of one model leaves those of the others, and a stop ends all', async () => {
  const gateway = createEchoGateway()
  const { ask, user } = await renderPlayground(gateway)
  await user.click(screen.getByRole('button', { name: 'Add model' }))
  await ask('one')
  await waitFor(() => expect(getShownAnswers()).toEqual(['Answer 1 to one', 'Answer 2 to one']))
  await user.click((await screen.findAllByRole('button', { name: 'Regenerate' }))[1] as HTMLElement)
  await waitFor(() => expect(getShownAnswers()).toEqual(['Answer 1 to one', 'Answer 3 to one']))
  gateway.onChat(() => ({ text: 'Once upon', open: true }))
  await ask('A story')
  await waitFor(() => expect(screen.getAllByText('Once upon')).toHaveLength(2))
  await user.click(screen.getByRole('button', { name: 'Stop' }))
  await waitFor(() => expect(screen.getAllByText('Stopped')).toHaveLength(2))
})

test('the answer of one column can be stopped, while the other goes on', async () => {
  const gateway = new FakeGateway().onChat(() => ({ text: 'Once upon', open: true }))
  const { ask, user } = await renderPlayground(gateway)
  await user.click(screen.getByRole('button', { name: 'Add model' }))
  await ask('A story')
  await waitFor(() => expect(screen.getAllByText('Once upon')).toHaveLength(2))
  await user.click(screen.getByRole('button', { name: 'Stop model 2' }))
  expect(await screen.findByText('Stopped')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Stop model 2' })).toBeNull()
  expect(usePlayground.getState().streaming).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Stop model 1' }))
  await waitFor(() => expect(usePlayground.getState().streaming).toBe(false))
})

test('the head of a column adds up its answers, and ticks while one is running', async () => {
  const before = createExchange(null, 'one', { tokensIn: 300, tokensOut: 200, costUsd: 0.25 })
  const running = { ...runningRow('req_chat'), tokensIn: 900, tokensOut: 100, costUsd: 0.5 }
  const gateway = createEchoGateway().onChat(() => ({ text: 'Once', open: true }))
  gateway.on('listRunningRequests', () => ({ data: [running], todaySpendUsd: 0 }))
  const chat = createChat([before], { models: ['sandbox-small'] })
  const { ask } = await renderPlayground(gateway, chat)
  const head = () => screen.getByText(/ tokens$/).parentElement?.textContent
  expect(head()).toBe('500 tokens · $0.25')
  await ask('two')
  await waitFor(() => expect(head()).toBe('1,500 tokens · $0.75'))
})

test('a failed answer shows its error and advice', async () => {
  const { ask } = await renderPlayground(
    new FakeGateway().onChat(() => ({ text: 'Half', error: 'The provider is overloaded.' })),
  )
  await ask('Hi')
  const alert = await screen.findByRole('alert')
  expect(within(alert).getByRole('button', { name: 'Try again' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Regenerate' })).toBeNull()
  expect(alert.textContent).toContain('The provider is overloaded.')
  expect(within(alert).getByRole('link', { name: 'Open Providers' })).toBeDefined()
  expect(getShownAnswers()).toEqual(['Half'])
})

test('a new chat starts empty, and an earlier one is found by its text', async () => {
  const { ask, user } = await renderPlayground(createEchoGateway())
  await ask('about whales')
  await screen.findByText('Answer 1 to about whales')
  await user.click(screen.getByRole('button', { name: 'New chat' }))
  expect(screen.queryByRole('article')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Chats' }))
  await user.type(screen.getByRole('searchbox', { name: 'Search chats' }), 'dolphins')
  expect(await screen.findByText('No chats found.')).toBeDefined()
  await user.clear(screen.getByRole('searchbox', { name: 'Search chats' }))
  await user.keyboard('whales')
  await user.click(await screen.findByRole('button', { name: 'about whales' }))
  expect(getShownAnswers()).toEqual(['Answer 1 to about whales'])
})

test('a deleted chat is removed', async () => {
  const { ask, user } = await renderPlayground(createEchoGateway())
  await ask('secret')
  await screen.findByText('Answer 1 to secret')
  await user.click(screen.getByRole('button', { name: 'Chat options' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Delete chat' }))
  await waitFor(() => expect(screen.queryByRole('article')).toBeNull())
  await user.click(screen.getByRole('button', { name: 'Chats' }))
  expect(await screen.findByText(/^Your chats appear here/)).toBeDefined()
  expect(localStorage.getItem('tollgate.chats')).not.toContain('secret')
})

test('deleting a chat stops its answer', async () => {
  const { ask, user } = await renderPlayground(new FakeGateway().onChat(() => ({ text: 'Once', open: true })))
  await ask('A story')
  await screen.findByText('Once')
  await user.click(screen.getByRole('button', { name: 'Chat options' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Delete chat' }))
  await waitFor(() => expect(usePlayground.getState().streaming).toBe(false))
})

test('a model that is no longer available is replaced, with a notice', async () => {
  const chat = createChat([createExchange(null, 'one', { text: 'uno' })], { models: ['retired'] })
  const { ask, requests } = await renderPlayground(createEchoGateway(), chat)
  expect(await screen.findByText(/“retired” is not available\. Using sandbox-small instead\./)).toBeDefined()
  await ask('two')
  await screen.findByText('Answer 1 to two')
  expect(requests()).toMatchObject([{ model: 'sandbox-small' }])
})

test('a replayed request shows its source and what could not be represented', async () => {
  const chat = createChat([createExchange(null, 'one')], {
    models: ['sandbox-small'],
    replayOf: { requestId: 'req_7', notes: ['Parts of it were left out.'] },
  })
  const { user } = await renderPlayground(createEchoGateway(), chat)
  expect(screen.getByRole('link', { name: 'View request' }).getAttribute('href')).toBe('/requests/req_7')
  expect(screen.getByText(/Parts of it were left out\./)).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Send question' }))
  expect(await screen.findByText('Answer 1 to one')).toBeDefined()
})

test('the times of an answer are those of the record of its request', async () => {
  const { ask, gateway } = await renderPlayground(createEchoGateway())
  await ask('one')
  const answer = await screen.findByRole('article', { name: 'Answer' })
  await within(answer).findByText('3 in, 2 out')
  const timings = { queueMs: 10, firstByteMs: 490, totalMs: 1500 }
  const request = requestRow('req_chat', 1, { stream: true, tokensIn: 3, tokensOut: 40, timings })
  gateway.send({ type: 'request', request })
  expect(await within(answer).findByText('1.50 s')).toBeDefined()
  expect(within(answer).getByText('first token 490 ms')).toBeDefined()
  expect(within(answer).getByText('40 tokens/s')).toBeDefined()
})

test('Escape stops an answer, unless it closes something else', async () => {
  const { ask, user } = await renderPlayground(new FakeGateway().onChat(() => ({ text: 'Once', open: true })))
  await ask('A story')
  await screen.findByText('Once')
  await user.click(screen.getByRole('button', { name: 'Chat options' }))
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('menu')).toBeNull()
  expect(usePlayground.getState().streaming).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Stop' }))
  await screen.findByText('Stopped')
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Message' }))

  await ask('Another')
  await waitFor(() => expect(usePlayground.getState().streaming).toBe(true))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(usePlayground.getState().streaming).toBe(false))
})
