import { expect, test } from 'vitest'
import { EXAMPLE_TOOLS, parseTools } from './parse-tools.ts'

test('blank is no tools, and the example is one', () => {
  expect(parseTools('  ')).toEqual({ ok: true, tools: [] })
  expect(parseTools(EXAMPLE_TOOLS)).toMatchObject({ ok: true, tools: [{ type: 'function' }] })
})

test('what is wrong is said, with its place', () => {
  expect(parseTools('[{')).toMatchObject({ ok: false, message: expect.stringMatching(/^This is not JSON/) })
  expect(parseTools('{}')).toMatchObject({ ok: false, message: expect.stringMatching(/list of tools/) })
  expect(parseTools('[{"type":"function","function":{"name":""}}]')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^Tool 1, function\.name/),
  })
})
