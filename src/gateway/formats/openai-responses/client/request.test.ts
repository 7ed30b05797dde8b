import { describe, expect, test } from 'vitest'
import { ResponseRequest } from '../../../../shared/formats/responses.ts'
import { decodeRequest } from './codec.ts'

const decode = (body: object) => decodeRequest(ResponseRequest.parse({ model: 'm', input: 'Hi', ...body }))
const createRequest = (body: object) => {
  const { request, unsupported } = decode(body)
  expect(unsupported?.message).toBeUndefined()
  return request
}
const getRefusal = (body: object) => {
  const { unsupported } = decode(body)
  return unsupported && { param: unsupported.param, message: unsupported.message }
}

const user = { role: 'user', content: 'Hi' }
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: '' })

test('options have the names of chat completions, and what has no use elsewhere is left out', () => {
  const schema = { type: 'object', properties: {} }
  const request = createRequest({
    stream: true,
    max_output_tokens: 9,
    temperature: 0.5,
    top_p: 0.9,
    text: { format: { type: 'json_schema', name: 'out', schema, strict: true }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    top_logprobs: 2,
    safety_identifier: 'u1',
    service_tier: 'flex',
    store: false,
    metadata: { a: 'b' },
    prompt_cache_key: 'k',
    truncation: 'auto',
    parallel_tool_calls: false,
    tool_choice: 'auto',
    client_metadata: { x: 1 },
  })
  expect(request).toEqual({
    model: 'm',
    messages: [user],
    stream: true,
    max_completion_tokens: 9,
    temperature: 0.5,
    top_p: 0.9,
    response_format: { type: 'json_schema', json_schema: { name: 'out', schema, strict: true } },
    verbosity: 'low',
    reasoning_effort: 'low',
    logprobs: true,
    top_logprobs: 2,
    user: 'u1',
    service_tier: 'flex',
  })
  expect(createRequest({ text: { format: { type: 'json_object' } } }).response_format).toEqual({
    type: 'json_object',
  })
})

describe('what only a provider of the format can do is refused elsewhere, with its name', () => {
  test.each([
    [{ input: [user, output('z')] }, 'input[1]'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ prompt: { id: 'p' } }, 'prompt'],
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ input: [user, { type: 'item_reference', id: 'msg_9' }] }, 'input[1].id'],
    [{ input: [{ type: 'compaction', encrypted_content: 'x' }, user] }, 'input[0].type'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }, user] },
      'input[0].content[0]',
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: '' }] }, user] },
      'input[0].content[0].image_url',
    ],
    [{ input: [{ role: 'critic', content: 'x' }, user] }, 'input[0].role'],
    [{ input: [{ role: 'user', content: [{ type: 'odd' }] }, user] }, 'input[0].content[0].type'],
    [{ tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }, 'tool_choice'],
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }, 'tool_choice'],
    [{ tools: [], tool_choice: { type: 'function', name: 'f' } }, 'tool_choice'],
  ])('%j', (body, param) => {
    expect(getRefusal(body)?.param).toBe(param)
  })
})

test('background responses and requests without input are refused everywhere', () => {
  expect(() => decode({ background: true })).toThrow('"background" is not supported')
  expect(() => decode({ input: [] })).toThrow('"input" must have at least one message.')
})
