import { expect, test } from 'vitest'
import { EXAMPLE_TOOLS, readTools } from './parse-tools.ts'

test('blank is no tools, and the example is one', () => {
  expect(readTools('  ')).toEqual({ ok: true, tools: [] })
  expect(readTools(EXAMPLE_TOOLS)).toMatchObject({ ok: true, tools: [{ type: 'function' }] })
})

test('what is wrong is said, with its place', () => {
  expect(readTools('[{')).toMatchObject({ ok: false, message: expect.stringMatching(/^This is not JSON/) })
  expect(readTools('{}')).toMatchObject({ ok: false, message: expect.stringMatching(/list of tools/) })
  expect(readTools('[{"type":"function","function":{"name":""}}]')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^Tool 1, function\.name/),
  })
})
