import { expect, it } from 'vitest'
import { Recall } from './reasoning-signatures.ts'

it('keeps the most recently used and stays within its bounds', () => {
  const recall = new Recall(10)
  recall.remember('a', '12345')
  recall.remember('b', '12345')
  expect(recall.recall('a')).toBe('12345')
  recall.remember('c', '12345')
  expect(['a', 'b', 'c'].map((id) => recall.recall(id))).toEqual(['12345', null, '12345'])
  recall.remember('a', 'x')
  recall.remember('d', '1234')
  expect(['a', 'c', 'd'].map((id) => recall.recall(id))).toEqual(['x', '12345', '1234'])
})

it('keeps no text that is larger than all it may keep', () => {
  const recall = new Recall(10)
  recall.remember('a', 'x'.repeat(11))
  expect(recall.recall('a')).toBeNull()
})

it('keeps a bounded number', () => {
  const recall = new Recall()
  for (let at = 0; at < 2_100; at += 1) recall.remember(`id-${at}`, 'x')
  expect(recall.recall('id-0')).toBeNull()
  expect(recall.recall('id-2099')).toBe('x')
})
