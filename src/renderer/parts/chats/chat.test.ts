import { expect, test } from 'vitest'
import {
  findPath,
  findTip,
  getAnswer,
  getTitle,
  isContinuation,
  listBranches,
  listTargetColumns,
} from './chat-tree.ts'
import { createChat, createExchange } from './testing/chats.ts'

test('the path leads from the first question to the last exchange, and a question has its branches', () => {
  const first = createExchange(null, 'one', { text: 'uno' })
  const left = createExchange(first.id, 'left', { text: 'sinistra' })
  const right = createExchange(first.id, 'right')
  const chat = createChat([first, left, right])
  expect(listBranches(chat, right).map(({ text }) => text)).toEqual(['left', 'right'])
  expect(findTip(chat, first.id)).toBe(right.id)
  expect(findPath(chat, left.id).map(({ text }) => text)).toEqual(['one', 'left'])
})

test('tool results continue only the answer that called the tools', () => {
  const first = createExchange(
    null,
    'one',
    { id: 'old', toolUses: [call('a')] },
    { id: 'new', toolUses: [call('b')] },
  )
  const results = {
    ...createExchange(first.id, ''),
    results: [{ column: 0, callId: 'a', name: 'f', content: '1' }],
  }
  const chat = createChat([first, results])
  expect(isContinuation(chat, results)).toBe(false)
  expect(findTip(chat, first.id)).toBe(first.id)
  const selected = createChat([{ ...first, selected: { 0: 'old' } }, results])
  expect(isContinuation(selected, results)).toBe(true)
  expect(findTip(selected, first.id)).toBe(results.id)
})

test('tool results are sent to the columns that called the tools, a question to all', () => {
  const results = {
    ...createExchange(null, ''),
    results: [{ column: 1, callId: 'a', name: 'f', content: '1' }],
  }
  const chat = createChat([results], { models: ['m', 'n'] })
  expect(listTargetColumns(chat, results)).toEqual([1])
  expect(listTargetColumns(chat, createExchange(null, 'x'))).toEqual([0, 1])
})

test('the newest answer is shown unless an older one is selected', () => {
  const exchange = createExchange(null, 'one', { id: 'a', text: '1' }, { id: 'b', text: '2' })
  expect(getAnswer(exchange, 0)?.text).toBe('2')
  expect(getAnswer({ ...exchange, selected: { 0: 'a' } }, 0)?.text).toBe('1')
})

test('the title is the first line', () => {
  expect(getTitle(createChat([createExchange(null, '  Hello\nthere')]))).toBe('Hello')
  expect(getTitle(createChat([]))).toBe('Untitled')
})

test('the title of a chat that begins with an image is “Image”', () => {
  expect(getTitle(createChat([{ ...createExchange(null, ''), imageCount: 1 }]))).toBe('Image')
})

const call = (id: string) => ({ id, name: 'f', arguments: '{}' })
