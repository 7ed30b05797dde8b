import { expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { computeFingerprint } from './runaway-guard.ts'

const user = (content: string) => ({ role: 'user' as const, content })
const step = (id: string, result: string): ChatRequest['messages'] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
  },
  { role: 'tool', tool_call_id: id, content: result },
]
const request = (...messages: ChatRequest['messages']): ChatRequest => ({ model: 'm', messages })

test('equal prompts are equal, whatever the ids of their calls', () => {
  const a = request(user('Do it.'), ...step('call_1', 'ok'))
  const b = request(user('Do it.'), ...step('call_2', 'ok'))
  expect(computeFingerprint(a)).toBe(computeFingerprint(b))
})

test.each<[string, ChatRequest]>([
  ['another model', { ...request(user('Do it.'), ...step('a', 'ok')), model: 'other' }],
  ['another result', request(user('Do it.'), ...step('a', 'failed'))],
  ['another first message', request(user('Do this.'), ...step('a', 'ok'))],
  [
    'the same step once more, in a context that has grown',
    request(user('Do it.'), ...step('a', 'ok'), ...step('b', 'ok')),
  ],
])('%s is another prompt', (_, other) => {
  expect(computeFingerprint(other)).not.toBe(computeFingerprint(request(user('Do it.'), ...step('a', 'ok'))))
})

test('of a large context only the ends are read', () => {
  const unread = () =>
    new Proxy(user('Go on.'), {
      ownKeys() {
        throw new Error('It is read.')
      },
    })
  const middle = Array.from({ length: 10_000 }, unread)
  const last = Array.from({ length: 4 }, () => user('x'.repeat(1000)))
  const subject = request(user('Do it.'), ...middle, ...last)
  expect(computeFingerprint(subject)).toBe(computeFingerprint(subject))
  expect(() => computeFingerprint(request(user('Do it.'), ...middle))).toThrow('It is read.')
})
