import { describe, expect, test } from 'vitest'
import { type InputItem, ResponseRequest } from '../../../../shared/formats/responses.ts'
import { encodeSignedReasoning } from '../../chat/reasoning.ts'
import { decodeRequest } from './codec.ts'

const decode = (body: object) => decodeRequest(ResponseRequest.parse({ model: 'm', input: 'Hi', ...body }))
const createRequest = (body: object) => {
  const { request, unsupported } = decode(body)
  expect(unsupported?.message).toBeUndefined()
  return request
}
const getMessages = (...input: object[]) => createRequest({ input }).messages
const getRefusal = (body: object) => {
  const { unsupported } = decode(body)
  return unsupported && { param: unsupported.param, message: unsupported.message }
}

const user = { role: 'user', content: 'Hi' }
const call = (id: string, more: object = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'look',
  arguments: '{"at":1}',
  ...more,
})
const output = (id: string, value: unknown = `output of ${id}`) => ({
  type: 'function_call_output',
  call_id: id,
  output: value,
})
const chatCall = (id: string, name = 'look', args = '{"at":1}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

test('compaction by the provider is refused with what to set up', () => {
  const { param, message } = getRefusal({ input: [user, { type: 'compaction_trigger' }] }) ?? {}
  expect(param).toBe('input[1].type')
  expect(message).toContain('tollgate setup codex')
})

describe('messages', () => {
  test('a text is a message of the user, after the instructions', () => {
    expect(createRequest({ instructions: 'Be brief.' })).toEqual({
      model: 'm',
      messages: [{ role: 'system', content: 'Be brief.' }, user],
    })
  })

  test('instructions and developer messages at the start are one system message', () => {
    const input = [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rule 1' }] },
      { role: 'system', content: 'Rule 2' },
      user,
      { role: 'developer', content: 'Rule 3' },
    ]
    expect(createRequest({ instructions: 'Be brief.', input }).messages).toEqual([
      { role: 'system', content: 'Be brief.\n\nRule 1\n\nRule 2' },
      user,
      { role: 'system', content: 'Rule 3' },
    ])
  })

  test('have images, files and audio', () => {
    const content = [
      { type: 'input_text', text: 'See' },
      { type: 'input_image', image_url: 'https://x/y.png', detail: 'low' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,QQ==' },
      { type: 'input_file', filename: 'b.PDF', file_data: 'QQ==' },
      { type: 'input_audio', input_audio: { data: 'QQ==', format: 'wav' } },
    ]
    expect(getMessages({ role: 'user', content })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: 'https://x/y.png', detail: 'low' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,QQ==' } },
          { type: 'file', file: { filename: 'b.PDF', file_data: 'data:application/pdf;base64,QQ==' } },
          { type: 'input_audio', input_audio: { data: 'QQ==', format: 'wav' } },
        ],
      },
    ])
  })

  test('of the model have text and refusals', () => {
    const said = (...content: object[]) => ({ type: 'message', role: 'assistant', id: 'msg_1', content })
    const text = { type: 'output_text', text: 'Well', annotations: [] }
    expect(getMessages(user, said(text), user, said(text, { type: 'refusal', refusal: 'No' }))).toEqual([
      user,
      { role: 'assistant', content: 'Well' },
      user,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Well' },
          { type: 'refusal', refusal: 'No' },
        ],
      },
    ])
  })
})

describe('calls and outputs', () => {
  test('text and parallel calls are one message, and the outputs follow it in the order of the calls', () => {
    const said = { role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] }
    expect(getMessages(user, said, call('a'), call('b'), user, output('b'), output('a'))).toEqual([
      user,
      { role: 'assistant', content: 'Let me look.', tool_calls: [chatCall('a'), chatCall('b')] },
      { role: 'tool', tool_call_id: 'a', content: 'output of a' },
      { role: 'tool', tool_call_id: 'b', content: 'output of b' },
      user,
    ])
  })

  test('a call after an output begins a new message, even if a server repeats its call ids', () => {
    expect(getMessages(user, call('a'), output('a', 'first'), call('a'), output('a', 'second'))).toEqual([
      user,
      { role: 'assistant', content: null, tool_calls: [chatCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'first' },
      { role: 'assistant', content: null, tool_calls: [chatCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'second' },
    ])
  })

  test('images of an output follow in a message of the user', () => {
    const parts = [
      { type: 'input_text', text: 'Two' },
      { type: 'input_image', image_url: 'data:image/png;base64,QQ==' },
    ]
    expect(getMessages(user, call('a'), output('a', parts)).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'Two' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'The output of the tool call a:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } },
        ],
      },
    ])
  })

  test('those of custom tools are of functions with one text', () => {
    const custom = { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '*** "x"\n' }
    const done = { type: 'custom_tool_call_output', call_id: 'a', output: 'Done' }
    expect(getMessages(user, custom, done).slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [chatCall('a', 'apply_patch', '{"input":"*** \\"x\\"\\n"}')],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Done' },
    ])
  })

  test('those of the tools that run at the client are of functions', () => {
    const action = { type: 'exec', command: ['ls'], env: {} }
    const shell = { type: 'local_shell_call', id: 'lsh_1', call_id: 'a', action, status: 'completed' }
    const done = { type: 'local_shell_call_output', id: 'a', output: 'README' }
    expect(getMessages(user, shell, done).slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [chatCall('a', 'local_shell', JSON.stringify(action))],
      },
      { role: 'tool', tool_call_id: 'a', content: 'README' },
    ])
  })

  test('an output without a call is refused', () => {
    expect(getRefusal({ input: [user, output('z')] })).toEqual({
      param: 'input[1]',
      message: 'There is no tool call for the output with the call_id "z".',
    })
  })
})

describe('reasoning', () => {
  const data = { type: 'thinking', thinking: 'Hm', signature: 's' }
  const own = encodeSignedReasoning({ format: 'anthropic-messages', data })
  const reasoning = (encrypted?: string) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'Hm' }],
    ...(encrypted && { encrypted_content: encrypted }),
  })

  test('of Tollgate is returned as it was signed, with the call that it directly precedes', () => {
    const text = { role: 'assistant', content: 'So.' }
    const input = [user, reasoning(own), text, call('a'), reasoning(own), call('b'), output('a'), output('b')]
    expect(getMessages(...input)[1]).toEqual({
      role: 'assistant',
      content: 'So.',
      tool_calls: [chatCall('a'), chatCall('b')],
      reasoning_content: 'Hm\n\nHm',
      signed_reasoning: [
        { format: 'anthropic-messages', data },
        { format: 'anthropic-messages', data, call_id: 'b' },
      ],
    })
  })

  test('of OpenAI is kept for its own format', () => {
    const foreign: InputItem = reasoning('gAAAA')
    expect(getMessages(user, foreign, call('a'), output('a'))[1]).toMatchObject({
      signed_reasoning: [{ format: 'openai-responses', data: foreign, call_id: 'a' }],
    })
  })

  test('that no provider signed is only text', () => {
    const encrypted = encodeSignedReasoning({ format: 'openai-chat', data: { reasoning_content: 'Hm' } })
    const bare = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: encrypted }
    for (const item of [bare, reasoning(encrypted)])
      expect(getMessages(user, item, call('a'), output('a'))[1]).toEqual({
        role: 'assistant',
        content: null,
        tool_calls: [chatCall('a')],
        reasoning_content: 'Hm',
      })
  })

  test('without an answer is left out', () => {
    expect(getMessages(user, reasoning(own), user)).toEqual([user, user])
  })
})
