import { expect, test } from 'vitest'
import { readResponsesUsage } from './usage.ts'

const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30 }
const read = (rest: object) => readResponsesUsage({ usage, ...rest }, {})

test('searches of the web and of files are counted', () => {
  const output = [
    { type: 'web_search_call', action: { type: 'search' } },
    { type: 'web_search_call', action: { type: 'open_page' } },
    { type: 'file_search_call' },
    { type: 'file_search_call' },
  ]
  expect(read({ output })).toMatchObject({ buckets: { input: 10, webSearches: 1, fileSearches: 2 } })
  expect(read({ output })).not.toHaveProperty('estimated')
})

test('an image that was drawn within a response is charged, as an estimate', () => {
  const output = [{ type: 'image_generation_call', result: 'AAAA' }]
  expect(read({ output })).toMatchObject({
    buckets: { input: 10, output: 20, imageOutput: 1_056 },
    calls: [{ output: 20 }, { imageOutput: 1_056 }],
    estimated: true,
  })
  const image_gen = { input_tokens: 50, input_tokens_details: { image_tokens: 30 }, output_tokens: 4_000 }
  expect(read({ output, tool_usage: { image_gen } })).toMatchObject({
    buckets: { input: 30, imageInput: 30, output: 20, imageOutput: 4_000 },
    estimated: true,
  })
})

test('a container makes the cost an estimate', () => {
  expect(read({ output: [{ type: 'code_interpreter_call' }] })).toMatchObject({ estimated: true })
})

test('odd reports of tools are not counted', () => {
  for (const image_gen of [null, 5, { input_tokens: -1, output_tokens: 'x' }, { output_tokens: 1e300 }])
    expect(read({ output: [null, 5, {}], tool_usage: { image_gen } })?.buckets).toMatchObject({ output: 20 })
})
