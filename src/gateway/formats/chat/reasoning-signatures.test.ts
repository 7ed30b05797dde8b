import { expect, test } from 'vitest'
import { ReasoningSignatureCache } from './reasoning.ts'

const scope = (maxCharacters?: number) =>
  new ReasoningSignatureCache(maxCharacters).scopeTo('key_1', 'gemini-generate')

test('keeps the most recently used signatures within its limits', () => {
  const signatures = scope(10)
  signatures.remember('a', '12345')
  signatures.remember('b', '12345')
  expect(signatures.recall('a')).toBe('12345')
  signatures.remember('c', '12345')
  expect(['a', 'b', 'c'].map((id) => signatures.recall(id))).toEqual(['12345', null, '12345'])
  signatures.remember('a', 'x')
  signatures.remember('d', '1234')
  expect(['a', 'c', 'd'].map((id) => signatures.recall(id))).toEqual(['x', '12345', '1234'])
})

test('does not keep a signature larger than the whole cache', () => {
  const signatures = scope(10)
  signatures.remember('a', 'x'.repeat(11))
  expect(signatures.recall('a')).toBeNull()
})

test('keeps a limited number', () => {
  const signatures = scope()
  for (let n = 0; n < 2_100; n += 1) signatures.remember(`id-${n}`, 'x')
  expect(signatures.recall('id-0')).toBeNull()
  expect(signatures.recall('id-2099')).toBe('x')
})

test('keeps API keys and API formats apart', () => {
  const cache = new ReasoningSignatureCache()
  cache.scopeTo('key_1', 'gemini-generate').remember('call_1', 'signed')
  expect(cache.scopeTo('key_1', 'gemini-generate').recall('call_1')).toBe('signed')
  expect(cache.scopeTo('key_2', 'gemini-generate').recall('call_1')).toBeNull()
  expect(cache.scopeTo('key_1', 'anthropic-messages').recall('call_1')).toBeNull()
})
