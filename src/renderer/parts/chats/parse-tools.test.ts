import { expect, test } from 'vitest'
import { EXAMPLE_TOOLS, parseTools } from './request-fields.ts'

test('blank text has no tools, and the example has one', () => {
  expect(parseTools('  ')).toEqual({ ok: true, tools: [] })
  expect(parseTools(EXAMPLE_TOOLS)).toMatchObject({ ok: true, tools: [{ type: 'function' }] })
})

test('an error names the tool and the field', () => {
  expect(parseTools('[{')).toMatchObject({ ok: false, message: expect.stringMatching(/^Invalid JSON/) })
  expect(parseTools('{}')).toMatchObject({ ok: false, message: expect.stringMatching(/array of tools/) })
  expect(parseTools('[{"type":"function","function":{"name":""}}]')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^Tool 1, function\.name/),
  })
})
