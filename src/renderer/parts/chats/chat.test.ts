import { expect, test } from 'vitest'
import { findPath, findTip, getTitle, listVersions, newExchange } from './chat.ts'
import { createChat, createExchange } from './testing/chats.ts'

test('the path leads from the first question to the last exchange, and a question has its versions', () => {
  const first = createExchange(null, 'one', { text: 'uno' })
  const left = createExchange(first.id, 'left', { text: 'sinistra' })
  const right = createExchange(first.id, 'right')
  const chat = createChat([first, left, right])
  expect(listVersions(chat, right).map(({ text }) => text)).toEqual(['left', 'right'])
  expect(findTip(chat, first.id)).toBe(right.id)
  expect(findPath(chat, left.id).map(({ text }) => text)).toEqual(['one', 'left'])
})

test('the title is the first line', () => {
  expect(getTitle(createChat([createExchange(null, '  Hello\nthere')]))).toBe('Hello')
  expect(getTitle(createChat([]))).toBe('Untitled')
})

test('the title of a chat that begins with an image is “Image”', () => {
  expect(getTitle(createChat([newExchange(null, { images: [''] })]))).toBe('Image')
})
