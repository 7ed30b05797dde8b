import { expect, test } from 'vitest'
import { encodeHeaders } from './response-headers.ts'

test.each([
  'gpt-5.5',
  'acme/model:free',
  '通义千问',
  'é',
  '100%',
  'a%41',
  'line\r\nSet-Cookie: x=1',
  'del\x7f and nul\0',
  '🦉',
])('a client can decode %j from the header that carries it', (value) => {
  const { name = '' } = encodeHeaders({ name: value })
  expect(name).toMatch(/^[\x20-\x7e]*$/)
  expect(decodeURIComponent(name)).toBe(value)
})

test('an unpaired surrogate is replaced', () => {
  expect(encodeHeaders({ name: 'a\ud800b' })).toEqual({ name: 'a%EF%BF%BDb' })
})
