import { expect, test } from 'vitest'
import { parseExtraFields } from './parse-extra-fields.ts'

test('blank is no field, and an object is its fields', () => {
  expect(parseExtraFields(' ')).toEqual({ ok: true, fields: {} })
  expect(parseExtraFields('{"top_p": 0.5, "stop": ["END"]}')).toEqual({
    ok: true,
    fields: { top_p: 0.5, stop: ['END'] },
  })
})

test('what is wrong is said', () => {
  expect(parseExtraFields('{')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^This is not JSON/),
  })
  expect(parseExtraFields('[]')).toMatchObject({ ok: false, message: expect.stringMatching(/JSON object/) })
  expect(parseExtraFields('null')).toMatchObject({ ok: false })
})

test('a field with a place of its own is sent there', () => {
  expect(parseExtraFields('{"temperature": 1}')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^Take “temperature” out/),
  })
  expect(parseExtraFields('{"__proto__": 1, "seed": 2}')).toMatchObject({ ok: true })
})
