import { expect, test } from 'vitest'
import { asked, chatOf } from '../stores/testing/chats.ts'
import { answerOf, branchesOf, endOf, goesOn, lanesFor, pathOf, titleOf } from './chat-tree.ts'

test('the way in sight leads from the first question to the tip, and each question knows its branches', () => {
  const first = asked(null, 'one', { text: 'uno' })
  const left = asked(first.id, 'left', { text: 'sinistra' })
  const right = asked(first.id, 'right')
  const chat = chatOf([first, left, right])
  expect(branchesOf(chat, right).map(({ text }) => text)).toEqual(['left', 'right'])
  expect(endOf(chat, first.id)).toBe(right.id)
  expect(pathOf(chat, left.id).map(({ text }) => text)).toEqual(['one', 'left'])
})

test('results of tools go on from the answer that called them, and from no other', () => {
  const first = asked(null, 'one', { id: 'old', toolUses: [call('a')] }, { id: 'new', toolUses: [call('b')] })
  const results = { ...asked(first.id, ''), results: [{ lane: 0, callId: 'a', name: 'f', content: '1' }] }
  const chat = chatOf([first, results])
  expect(goesOn(chat, results)).toBe(false)
  expect(endOf(chat, first.id)).toBe(first.id)
  const picked = chatOf([{ ...first, picked: { 0: 'old' } }, results])
  expect(goesOn(picked, results)).toBe(true)
  expect(endOf(picked, first.id)).toBe(results.id)
})

test('results are for the lanes whose tools gave them, a question for all', () => {
  const results = { ...asked(null, ''), results: [{ lane: 1, callId: 'a', name: 'f', content: '1' }] }
  const chat = chatOf([results], { models: ['m', 'n'] })
  expect(lanesFor(chat, results)).toEqual([1])
  expect(lanesFor(chat, asked(null, 'x'))).toEqual([0, 1])
})

test('the newest answer stands unless an older one is picked', () => {
  const exchange = asked(null, 'one', { id: 'a', text: '1' }, { id: 'b', text: '2' })
  expect(answerOf(exchange, 0)?.text).toBe('2')
  expect(answerOf({ ...exchange, picked: { 0: 'a' } }, 0)?.text).toBe('1')
})

test('a conversation is called by its first line', () => {
  expect(titleOf(chatOf([asked(null, '  Hello\nthere')]))).toBe('Hello')
  expect(titleOf(chatOf([]))).toBe('Untitled')
})

test('a conversation that begins with an image is called so', () => {
  expect(titleOf(chatOf([{ ...asked(null, ''), imageCount: 1 }]))).toBe('Image')
})

const call = (id: string) => ({ id, name: 'f', arguments: '{}' })
