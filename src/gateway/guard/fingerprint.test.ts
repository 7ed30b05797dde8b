import { expect, test } from 'vitest'
import type { ChatRequest } from '../../shared/chat.ts'
import { fingerprintOf } from './fingerprint.ts'

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
  expect(fingerprintOf(a)).toBe(fingerprintOf(b))
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
  expect(fingerprintOf(other)).not.toBe(fingerprintOf(request(user('Do it.'), ...step('a', 'ok'))))
})

test('a large context takes no longer than a small one', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => user(`${at} ${'x'.repeat(1000)}`))
  const time = (subject: ChatRequest) => {
    const startedAt = performance.now()
    for (let round = 0; round < 200; round++) fingerprintOf(subject)
    return performance.now() - startedAt
  }
  const small = request(...many.slice(0, 5))
  time(small)
  expect(time(request(...many))).toBeLessThan(20 * time(small) + 20)
})
