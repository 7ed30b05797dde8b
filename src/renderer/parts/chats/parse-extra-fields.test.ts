import { expect, test } from 'vitest'
import { parseExtraFields } from './request-fields.ts'

test('blank text has no fields, an object has its own', () => {
  expect(parseExtraFields(' ')).toEqual({ ok: true, fields: {} })
  expect(parseExtraFields('{"top_k": 0.5, "stop_token_ids": ["END"]}')).toEqual({
    ok: true,
    fields: { top_k: 0.5, stop_token_ids: ['END'] },
  })
})

test('text that is not a JSON object is rejected with a reason', () => {
  expect(parseExtraFields('{')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^Invalid JSON/),
  })
  expect(parseExtraFields('[]')).toMatchObject({ ok: false, message: expect.stringMatching(/JSON object/) })
  expect(parseExtraFields('null')).toMatchObject({ ok: false })
})

test('a field that has its own control is rejected', () => {
  expect(parseExtraFields('{"temperature": 1}')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^Remove “temperature”/),
  })
  expect(parseExtraFields('{"__proto__": 1, "top_k": 2}')).toMatchObject({ ok: true })
})
