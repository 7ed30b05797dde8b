import { expect, test } from 'vitest'
import { ChatRequest } from '../../../../shared/formats/chat.ts'
import { encodeSignedReasoning, type SignedReasoning } from '../../chat/reasoning.ts'
import { toThoughtSignature } from './contents.ts'
import { decode, model, user } from './testing/decode.ts'

const getMessages = (...contents: object[]) => {
  const { request, unsupported } = decode({ contents })
  ChatRequest.parse(request)
  expect(unsupported).toBeNull()
  return request.messages
}

test('a conversation with a system instruction, texts and media', () => {
  const { request } = decode({
    systemInstruction: { parts: [{ text: 'Be kind.' }, { text: 'Be brief.' }] },
    contents: [
      { parts: [{ text: 'Hi' }] },
      model({ text: 'Hel' }, { text: 'lo' }),
      user(
        { text: 'Look' },
        { inlineData: { mimeType: 'image/PNG', data: 'a-_b' } },
        { inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } },
        { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
        { fileData: { fileUri: 'https://example.com/a.jpg?x=1' } },
      ),
    ],
  })
  expect(request).toEqual({
    model: 'm',
    stream: false,
    messages: [
      { role: 'system', content: 'Be kind.\nBe brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,a+/b' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
          { type: 'file', file: { filename: 'file.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.jpg?x=1' } },
        ],
      },
    ],
  })
})

test('snake_case names, and an object instead of a list of one, are read the same', () => {
  const snake = decode({
    system_instruction: { parts: { text: 'Be kind.' } },
    contents: { parts: [{ text: 'Hi' }, { inline_data: { mime_type: 'image/png', data: 'AAAA' } }] },
    generation_config: { max_output_tokens: 5, thinking_config: { thinking_level: 'low' } },
    tools: {
      function_declarations: { name: 'f', parameters: { type: 'OBJECT', any_of: [{ type: 'STRING' }] } },
    },
    tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['f'] } },
  })
  const camel = decode({
    systemInstruction: { parts: [{ text: 'Be kind.' }] },
    contents: [{ parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }],
    generationConfig: { maxOutputTokens: 5, thinkingConfig: { thinkingLevel: 'LOW' } },
    tools: [
      { functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', anyOf: [{ type: 'STRING' }] } }] },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
  })
  expect(snake.request).toEqual(camel.request)
  expect(snake.request).toMatchObject({ max_completion_tokens: 5, reasoning_effort: 'low' })
})

test('the members of arguments and results keep their names', () => {
  const [, assistant, result] = getMessages(
    user({ text: 'Hi' }),
    model({ functionCall: { name: 'f', args: { snake_case: { a_b: 1 } } } }),
    user({ functionResponse: { name: 'f', response: { some_result: 2 } } }),
  )
  expect(assistant).toMatchObject({ tool_calls: [{ function: { arguments: '{"snake_case":{"a_b":1}}' } }] })
  expect(result).toMatchObject({ role: 'tool', content: '{"some_result":2}' })
})

test('calls without ids get ids, and their responses are matched by name in order', () => {
  const messages = getMessages(
    user({ text: 'Hi' }),
    model({ functionCall: { name: 'f', args: { n: 1 } } }, { functionCall: { name: 'g' } }),
    model({ functionCall: { name: 'f', args: { n: 2 } } }),
    user(
      { text: 'Go on' },
      { functionResponse: { name: 'f', response: { of: 1 } } },
      { functionResponse: { name: 'f', response: { of: 2 } } },
    ),
    { role: 'function', parts: [{ functionResponse: { name: 'g', response: {} } }] },
  )
  const call = (id: string, name: string, args: string) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  })
  expect(messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [call('call_1', 'f', '{"n":1}'), call('call_2', 'g', '{}'), call('call_3', 'f', '{"n":2}')],
    },
    { role: 'tool', tool_call_id: 'call_1', name: 'f', content: '{"of":1}' },
    { role: 'tool', tool_call_id: 'call_3', name: 'f', content: '{"of":2}' },
    { role: 'user', content: 'Go on' },
    { role: 'tool', tool_call_id: 'call_2', name: 'g', content: '{}' },
  ])
})

test('responses with ids are matched by id, and their media go along', () => {
  const messages = getMessages(
    user({ text: 'Hi' }),
    model({ functionCall: { id: 'a', name: 'f' } }, { functionCall: { id: 'b', name: 'f' } }),
    user({
      functionResponse: {
        id: 'b',
        name: 'f',
        response: { output: 'see image' },
        parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
      },
    }),
  )
  expect(messages[2]).toEqual({
    role: 'tool',
    tool_call_id: 'b',
    name: 'f',
    content: [
      { type: 'text', text: '{"output":"see image"}' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ],
  })
})

test('responses that come twice, as when the Gemini CLI resumes a session, are read once', () => {
  const response = (id: string, output: string) => ({
    functionResponse: { id, name: 'list_directory', response: { output } },
  })
  const call = (id: string) => ({ functionCall: { id, name: 'list_directory', args: { dir_path: id } } })
  const messages = getMessages(
    user({ text: 'List both' }),
    model({ text: 'Looking.' }, call('list_1_0'), call('list_1_1')),
    user(
      response('list_1_0', 'a.txt'),
      response('list_1_0', 'a.txt'),
      response('list_1_1', 'empty'),
      response('list_1_1', 'empty'),
    ),
    model({ text: 'Done.' }),
    user({ text: 'And again' }),
    model(call('list_1_0')),
    user(response('list_1_0', 'b.txt')),
  )
  const answer = (id: string, output: string) => ({
    role: 'tool',
    tool_call_id: id,
    name: 'list_directory',
    content: JSON.stringify({ output }),
  })
  expect(messages.filter(({ role }) => role === 'tool')).toEqual([
    answer('list_1_0', 'a.txt'),
    answer('list_1_1', 'empty'),
    answer('list_1_0', 'b.txt'),
  ])
})

test('a role or contents without parts that no model accepts are refused', () => {
  expect(() => decode({ contents: [{ role: 'system', parts: [{ text: 'x' }] }] })).toThrow(/role of a turn/)
  expect(() => decode({ contents: [] })).toThrow(/no parts/)
  expect(() => decode({ contents: [{ role: 'user' }] })).toThrow(/no parts/)
})

test('signatures of Google stay with their calls, and thoughts are reasoning', () => {
  const messages = getMessages(
    user({ text: 'Hi' }),
    model(
      { text: 'Thinking', thought: true },
      { functionCall: { id: 'a', name: 'f', args: {} }, thoughtSignature: 'R29vZ2xl' },
    ),
    user({ functionResponse: { id: 'a', name: 'f', response: {} } }),
    model({ text: 'Done', thoughtSignature: 'dGV4dA==' }),
    user({ text: 'Thanks' }),
  )
  expect(messages[1]).toMatchObject({
    content: null,
    reasoning_content: 'Thinking',
    tool_calls: [{ id: 'a', extra_content: { google: { thought_signature: 'R29vZ2xl' } } }],
  })
  expect(messages[3]).toEqual({
    role: 'assistant',
    content: 'Done',
    signed_reasoning: [{ format: 'gemini-generate', data: { thoughtSignature: 'dGV4dA==' } }],
  })
})

test('signatures of this gateway are signed reasoning again', () => {
  const entries: SignedReasoning[] = [
    { format: 'anthropic-messages', data: { type: 'thinking', thinking: 'Ü', signature: 's' } },
    { format: 'anthropic-messages', data: { type: 'redacted_thinking', data: 'x' } },
  ]
  const signature = toThoughtSignature(entries)
  expect(Buffer.from(signature, 'base64').toString('utf8')).toBe(
    entries.map(encodeSignedReasoning).join('\n'),
  )
  const call = { functionCall: { id: 'a', name: 'f' }, thoughtSignature: signature }
  const [, message] = getMessages(user({ text: 'Hi' }), model(call))
  expect(message).toMatchObject({
    signed_reasoning: entries.map((entry) => ({ ...entry, call_id: 'a' })),
    tool_calls: [expect.not.objectContaining({ extra_content: expect.anything() })],
  })
})

test.each([
  [
    user({ fileData: { fileUri: 'gs://bucket/a.png', mimeType: 'image/png' } }),
    'contents[1].parts[0].fileData.fileUri',
  ],
  [
    user({ fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } }),
    'contents[1].parts[0].fileData.fileUri',
  ],
  [
    user({
      fileData: {
        fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc',
        mimeType: 'image/png',
      },
    }),
    'contents[1].parts[0].fileData.fileUri',
  ],
  [model({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }), 'contents[1].parts[0].inlineData'],
  [user({ functionResponse: { name: 'f', response: {} } }), 'contents[1].parts[0].functionResponse'],
  [model({ executableCode: { code: '1' } }), 'contents[1].parts[0].executableCode'],
])('%j can only be sent to Google', (content, param) => {
  const { unsupported } = decode({ contents: [user({ text: 'Hi' }), content] })
  expect(unsupported).toMatchObject({ status: 400, param })
})
