import { expect, test } from 'vitest'
import { readExtra } from './parse-extra-fields.ts'

test('blank is no field, and an object is its fields', () => {
  expect(readExtra(' ')).toEqual({ ok: true, fields: {} })
  expect(readExtra('{"top_p": 0.5, "stop": ["END"]}')).toEqual({
    ok: true,
    fields: { top_p: 0.5, stop: ['END'] },
  })
})

test('what is wrong is said', () => {
  expect(readExtra('{')).toMatchObject({ ok: false, message: expect.stringMatching(/^This is not JSON/) })
  expect(readExtra('[]')).toMatchObject({ ok: false, message: expect.stringMatching(/JSON object/) })
  expect(readExtra('null')).toMatchObject({ ok: false })
})

test('a field with a place of its own is sent there', () => {
  expect(readExtra('{"temperature": 1}')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^Take “temperature” out/),
  })
  expect(readExtra('{"__proto__": 1, "seed": 2}')).toMatchObject({ ok: true })
})
