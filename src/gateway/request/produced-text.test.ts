import { expect, it } from 'vitest'
import { producedBytes } from './token-meter.ts'

it('counts output that is not text: parts that are passed on unchanged', () => {
  const part = { type: 'reference', reference_ids: [1, 2] }
  const alone = producedBytes({ content: null, content_parts: [part] })
  expect(alone).toBeGreaterThan(0)
  expect(producedBytes({ content: 'abc', content_parts: [part] })).toBe(alone + 3)
  expect(producedBytes({ content: '' })).toBe(0)
})
