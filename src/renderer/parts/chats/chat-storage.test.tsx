import { expect, test, vi } from 'vitest'
import { newExchange } from './chat.ts'
import { loadChats, saveChats } from './chat-storage.ts'
import { createChat, createExchange } from './testing/chats.ts'

/** Stores a chat with these members as an earlier version did, and reads it. */
function readEarlier(exchange: object, members: object = {}) {
  const chat = { ...createChat([createExchange(null, 'one')]), ...members }
  const exchanges = chat.exchanges.map((stored) => ({ ...stored, ...exchange }))
  localStorage.setItem('tollgate.chats', JSON.stringify([{ ...chat, exchanges }]))
  const [read] = loadChats()
  if (!read) throw new Error('The chat was not read.')
  return read
}

test('chats with a question are stored, without the data of their images', () => {
  const images = ['data:image/png;base64,AA==', 'https://example.org/a.png']
  const chat = createChat([newExchange(null, { images })])
  saveChats([chat, createChat([])])
  const exchanges = chat.exchanges.map((exchange) => ({ ...exchange, images: ['', images[1]] }))
  expect(loadChats()).toEqual([{ ...chat, exchanges }])
})

test('when the storage is full, the older half is left out', () => {
  const chats = Array.from({ length: 4 }, () => createChat([createExchange(null, 'one')]))
  const store = vi.spyOn(Storage.prototype, 'setItem').mockImplementationOnce(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  saveChats(chats, 4)
  store.mockRestore()
  expect(loadChats()).toEqual(chats.slice(0, 2))
})

test('an answer that was streaming when the window was closed is stopped', () => {
  const { exchanges } = readEarlier(createExchange(null, 'one', { state: 'streaming' }))
  expect(exchanges[0]?.answers[0]?.state).toBe('stopped')
})

test('the answers that an earlier version kept in one exchange become its versions', () => {
  const { answers } = createExchange(
    null,
    'one',
    { id: 'a', text: 'first' },
    { id: 'b', text: 'second' },
    { id: 'c', column: 1, text: 'other' },
  )
  const { exchanges, tip } = readEarlier({ answers, selected: { 0: 'a' }, imageCount: 1 })
  const texts = exchanges.map((exchange) => exchange.answers.map(({ text }) => text))
  expect(texts).toEqual([
    ['other', 'second'],
    ['first', 'other'],
  ])
  expect(exchanges.map(({ images }) => images)).toEqual([[''], ['']])
  expect(exchanges[1]?.id).toBe(tip)
})

test('parameters of an earlier version are among the other fields', () => {
  const { extra } = readEarlier(
    {},
    {
      seed: '7',
      stop: 'END\n\\n',
      presencePenalty: '-1',
      responseFormat: 'json_schema',
      schema: '{"type":"object"}',
      extra: '{"top_k":5}',
      pinned: true,
    },
  )
  expect(JSON.parse(extra)).toEqual({
    seed: 7,
    stop: ['END', '\n'],
    presence_penalty: -1,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
    top_k: 5,
  })
})
