import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { ChatRequest } from '../../shared/formats/chat.ts'
import { validate } from './json-body.ts'

const good = { role: 'user', content: 'Hi' }
const chat = (messages: unknown[]) => ({ model: 'm', messages })

test.each([
  [chat([...Array(2_000).fill(good), { role: 'bad' }, { role: 5 }]), 'messages[2000].role'],
  [
    chat([...Array(2_000).fill(good), { role: 'user', content: [{ type: 'text' }] }]),
    'messages[2000].content[0].text',
  ],
  [{ ...chat([good]), tools: Array(2_000).fill({}) }, 'tools[0].type'],
  [{ ...chat([good]), stop: Array(2_000).fill('x') }, 'stop'],
])('names the first fault of a long list as of a short one', (body, param) => {
  expect(() => validate(ChatRequest, body, 'request body')).toThrow(
    expect.objectContaining({ status: 400, body: expect.objectContaining({ param }) }),
  )
})

test('returns a valid long list as the schema transforms it', () => {
  const body = { ...chat(Array(5_000).fill(good)), unknown: Array(5_000).fill({}) }
  expect(validate(ChatRequest, body, 'request body')).toEqual(body)
})

test('stops at the first invalid element of a long list', () => {
  const check = vi.fn(() => false)
  const element = z.unknown().refine(check)
  const schema = z.object({ list: z.array(element).nullish() })
  expect(() => validate(schema, { list: Array(10_000).fill(1) }, 'body')).toThrow()
  expect(check).toHaveBeenCalledTimes(1)
  check.mockClear()
  const nested = z.object({ list: z.array(z.object({ parts: z.array(element) })) })
  const message = { parts: Array(1_000).fill(1) }
  expect(() => validate(nested, { list: [message, message, message] }, 'body')).toThrow()
  expect(check).toHaveBeenCalledTimes(1_000)
})
