import { describe, expect, test } from 'vitest'
import type { StoredChat } from '../../../shared/api/requests.ts'
import { compareChats } from './compare-chats.ts'

type Message = StoredChat['request']['messages'][number]

const system: Message = { role: 'system', content: 'Be brief.' }
const ask = (text: string): Message => ({ role: 'user', content: text })
const tool = (name: string, description = '') => ({ type: 'function', function: { name, description } })

function chat(messages: Message[], more: object = {}): StoredChat {
  const request = { model: 'a', messages, ...more }
  return { request, answers: [{ role: 'assistant', content: 'Yes' }], error: null, complete: true }
}

const names = (pairs: ReturnType<typeof compareChats>['messages']) =>
  pairs.map(({ before, after, same }) => [before?.number ?? null, after?.number ?? null, same])

describe('the cached prefix', () => {
  const first = chat([system, ask('one')], { tools: [tool('a'), tool('b')] })

  test('does not break where the second prompt goes on after the first', () => {
    const { prefix } = compareChats(
      first,
      chat([system, ask('one'), ask('two')], { tools: [tool('a'), tool('b')] }),
    )
    expect(prefix).toEqual({ equal: 4, before: null, after: null })
  })

  test.each([
    ['tools in another order', { tools: [tool('b'), tool('a')] }, 0, 'tool', 'a'],
    ['another description of a tool', { tools: [tool('a'), tool('b', 'new')] }, 1, 'tool', 'b'],
    ['a further tool', { tools: [tool('a'), tool('b'), tool('c')] }, 2, 'message', 'system'],
  ] as const)('breaks at %s', (_name, more, equal, kind, name) => {
    const { prefix } = compareChats(first, chat([system, ask('one'), ask('two')], more))
    expect(prefix).toMatchObject({ equal, before: { kind, name } })
  })

  test('breaks at the first message that was edited or removed, and not at a mark of the cache', () => {
    const tools = { tools: [tool('a'), tool('b')] }
    const marked = { ...system, cache_control: { type: 'ephemeral' } }
    const { prefix } = compareChats(first, chat([marked, ask('other'), ask('two')], tools))
    expect(prefix).toMatchObject({ equal: 3, before: { number: 2, text: 'one' }, after: { text: 'other' } })
    expect(compareChats(first, chat([system], tools)).prefix).toMatchObject({ equal: 3, after: null })
  })
})

test('messages are aligned, so that one that was inserted is the only difference', () => {
  const before = chat([system, ask('one'), ask('two'), ask('three')])
  const after = chat([system, ask('one'), ask('new'), ask('two'), ask('3')])
  expect(names(compareChats(before, after).messages)).toEqual([
    [1, 1, true],
    [2, 2, true],
    [null, 3, false],
    [4, 4, true],
    [4, 5, false],
  ])
})

test('parameters are compared by name, and what is not set is none', () => {
  const before = chat([system], { temperature: 0, seed: null, top_p: 1 })
  const after = chat([system], { temperature: 1, max_tokens: 5, top_p: 1 })
  const { parameters } = compareChats(before, after)
  expect(
    parameters.map(({ before, after, same }) => [before?.name, before?.text, after?.text, same]),
  ).toEqual([
    [undefined, undefined, '5', false],
    ['temperature', '0', '1', false],
    ['top_p', '1', '1', true],
  ])
})

test('the data of images is left out of what is shown, but not of the comparison', () => {
  const image = (data: string): Message => ({
    role: 'user',
    content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }],
  })
  const [one, other] = [image('A'.repeat(500)), image(`${'A'.repeat(499)}B`)]
  const { messages } = compareChats(chat([one]), chat([other]))
  expect(messages[0]?.same).toBe(false)
  expect(messages[0]?.after?.text).toContain('(522 characters)')
})
