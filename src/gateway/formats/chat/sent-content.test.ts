import { describe, expect, test } from 'vitest'
import { ApiFormat } from '../../../shared/api/providers.ts'
import { NO_CONTENT } from './content-counter.ts'
import { readSentContent } from './sent-content.ts'

const DATA = 'iVBORw0KGgoAAAANSUhEUg=='
const PNG = `data:image/png;base64,${DATA}`
const PDF = 'data:application/pdf;base64,JVBERi0='

const chat = (part: object, role = 'user') => ({ messages: [{ role, content: [part] }] })
const item = (...input: object[]) => ({ input })
const message = (part: object, role = 'user') => item({ role, content: [part] })
const output = (part: object) => item({ type: 'function_call_output', call_id: 'c', output: [part] })
const blocks = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
const result = (part: object) => blocks({ type: 'tool_result', tool_use_id: 't', content: [part] })
const source = (type: string, data: object) => ({
  type,
  source: { type: 'base64', media_type: 'image/png', ...data },
})
const converse = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
const bytes = (data: string) => ({ source: { bytes: data } })
const parts = (part: object, role = 'user') => ({ contents: [{ role, parts: [part] }] })
const response = (part: object) => parts({ functionResponse: { name: 'f', response: {}, parts: [part] } })

/** Bodies by their format, and by what in them is sent. */
const rows = (bodies: Partial<Record<ApiFormat, Record<string, object>>>) =>
  ApiFormat.options.flatMap((format) =>
    Object.entries(bodies[format] ?? {}).map(([what, body]) => [format, what, body] as const),
  )

const IMAGES = rows({
  'openai-chat': {
    'a part': chat({ type: 'image_url', image_url: { url: PNG } }),
    'a system message': chat({ type: 'image_url', image_url: { url: PNG } }, 'system'),
    'a result of a tool': chat({ type: 'image_url', image_url: { url: PNG } }, 'tool'),
    'a part of Mistral': chat({ type: 'image_url', image_url: PNG }),
  },
  'openai-responses': {
    'a message': message({ type: 'input_image', image_url: PNG }),
    'an assistant message': message({ type: 'input_image', image_url: PNG }, 'assistant'),
    'an output': output({ type: 'input_image', image_url: PNG }),
    'a screenshot': item({
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', image_url: PNG },
    }),
    'an image that was made': item({ type: 'image_generation_call', id: 'i', result: DATA }),
  },
  'anthropic-messages': {
    'a block': blocks(source('image', { data: DATA })),
    'a result of a tool': result(source('image', { data: DATA })),
    'a document': blocks(source('document', { type: 'content', content: [source('image', { data: DATA })] })),
  },
  'gemini-generate': {
    'a part': parts({ inlineData: { mimeType: 'image/png', data: DATA } }),
    'a turn of the model': parts({ inline_data: { mime_type: 'image/png', data: DATA } }, 'model'),
    'a result of a function': response({ inlineData: { mimeType: 'image/png', data: DATA } }),
    'the system instruction': {
      system_instruction: { parts: { inlineData: { mimeType: 'image/png', data: DATA } } },
    },
  },
  'bedrock-converse': {
    'a block': converse({ image: { format: 'png', ...bytes(DATA) } }),
    'a result of a tool': converse({ toolResult: { toolUseId: 'a', content: [{ image: bytes(DATA) }] } }),
  },
})

test.each(IMAGES)('%s: an image in %s is counted, and its data is no text', (format, _, body) => {
  const images = { count: 1, bytes: DATA.length }
  expect(readSentContent(format, { ...body })).toEqual({ ...NO_CONTENT, images })
})

const LINKS = rows({
  'openai-chat': {
    URL: chat({ type: 'image_url', image_url: { url: 'https://a.example/a' } }),
    'broken data': chat({ type: 'image_url', image_url: { url: `${PNG} and text` } }),
    'image in an earlier answer': {
      messages: [{ role: 'assistant', images: [{ image_url: { url: PNG } }] }],
    },
  },
  'openai-responses': { URL: message({ type: 'input_image', image_url: 'https://a.example/a' }) },
  'anthropic-messages': {
    URL: blocks(source('image', { type: 'url', url: 'https://a.example/a' })),
    'broken data': blocks(source('image', { data: 'a text, and no image' })),
  },
  'gemini-generate': {
    URL: parts({ fileData: { fileUri: 'https://a.example/a.png?x', mimeType: 'image/png' } }),
  },
})

test.each(LINKS)('%s: a %s is an image whose bytes count as text', (format, _, body) => {
  expect(readSentContent(format, { ...body }).images).toEqual({ count: 1, bytes: 0 })
})

const UNSIZED = rows({
  'openai-chat': {
    'a file': chat({ type: 'file', file: { filename: 'a.pdf', file_data: PDF } }),
    'a document as an image': chat({ type: 'image_url', image_url: { url: PDF } }),
  },
  'openai-responses': {
    'a file': message({ type: 'input_file', filename: 'a.pdf', file_data: PDF }),
    'a file in an output': output({ type: 'input_file', file_data: PDF }),
    'a document as an image': message({ type: 'input_image', image_url: PDF }),
  },
  'anthropic-messages': {
    'a document': blocks(source('document', { data: 'JVBERi0=' })),
    'a document of a tool': result(source('document', { data: 'JVBERi0=' })),
  },
  'gemini-generate': {
    'a document': parts({ inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }),
    'a video of the model': parts({ inline_data: { mime_type: 'video/mp4', data: 'AAAA' } }, 'model'),
    'a video of a function': response({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }),
  },
  'bedrock-converse': {
    'a document': converse({ document: { format: 'pdf', name: 'a', ...bytes('JVBERi0=') } }),
    'a video of a tool': converse({ toolResult: { content: [{ video: bytes('AAAA') }] } }),
  },
})

test.each(UNSIZED)('%s: %s is not bounded by its bytes', (format, _, body) => {
  const found = readSentContent(format, { ...body })
  expect(found).toMatchObject({ unsized: true, external: false })
  expect(found.dataBytes).toBeGreaterThan(0)
})

/** Every place where a request can refer to what only the provider has. */
const EXTERNAL = rows({
  'openai-chat': {
    'a file by id': chat({ type: 'file', file: { file_id: 'file_1' } }),
    'a file by id with data': chat({ type: 'file', file: { file_id: 'file_1', file_data: PDF } }),
    'an image by id': chat({ type: 'image_url', image_url: { url: 'file_1' } }),
    'an image in a bucket': chat({ type: 'image_url', image_url: { url: 'gs://a/b.mp4' } }),
    'audio by id': chat({ type: 'input_audio', input_audio: { id: 'audio_1' } }),
    'an earlier answer in speech': { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
    'a video': chat({ type: 'video_url', video_url: { url: 'https://a.example' } }),
    'a part in a result': chat({ type: 'document_url', document_url: 'https://a.example' }, 'tool'),
    'a tool of the provider': { tools: [{ type: 'browser_search' }] },
    'a tool of the provider in a message': { messages: [{ tools: [{ type: 'search' }] }] },
    'a member that no vendor documents': { files: [{ type: 'collection', id: 'c1' }] },
    'such a member of a message': { messages: [{ role: 'user', content: 'Hi', files: ['f'] }] },
    'such a member of a part': chat({ type: 'text', text: 'Hi', file_id: 'f' }),
    'a template': { chat_template: '{{ messages }}' },
    'a stored prompt': { prompt: { id: 'pmpt_1' } },
    'a sound by URL': chat({ type: 'input_audio', input_audio: { data: 'https://a.example' } }),
    'a file by URL': chat({ type: 'file', file: { file_data: 'https://a.example' } }),
    'a search': { web_search_options: {} },
    plugins: { plugins: [{ id: 'web' }] },
    'a search of xAI': { search_parameters: { mode: 'on' } },
    'data of Azure': { data_sources: [{ type: 'azure_search' }] },
    'a search of Alibaba': { enable_search: true },
    'files of Alibaba': { messages: [{ role: 'system', content: 'fileid://file-fe-1,fileid://file-fe-2' }] },
    'a file of Alibaba in a part': chat({ type: 'text', text: 'fileid://file-fe-1' }, 'system'),
  },
  'openai-responses': {
    'an item by id': item({ id: 'msg_1' }),
    'an item by id without a type': item({ id: 'msg_1', type: null }),
    'an item reference': item({ type: 'item_reference', id: 'msg_1' }),
    'a message by id': item({ type: 'message', id: 'msg_1', role: 'user' }),
    'an empty message by id': item({ id: 'msg_1', role: 'assistant', status: 'completed', content: [] }),
    'a call by id': item({ type: 'function_call', id: 'fc_1', arguments: '' }),
    'stored reasoning': item({ type: 'reasoning', id: 'rs_1', summary: [] }),
    'stored reasoning with its summary': item({
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'x' }],
      encrypted_content: null,
    }),
    'a search of files': item({ type: 'file_search_call', id: 'fs_1', queries: ['x'] }),
    'a search of the web': item({ type: 'web_search_call', id: 'ws_1', action: {} }),
    'code in a container': item({ type: 'code_interpreter_call', id: 'ci_1', container_id: 'c' }),
    'an image that was made, by id': item({ type: 'image_generation_call', id: 'ig_1', result: null }),
    'an item of a new type': item({ type: 'dream', id: 'd_1', text: 'x' }),
    'a file by id': message({ type: 'input_file', file_id: 'file_1' }),
    'a file by URL': message({ type: 'input_file', file_url: 'https://a.example/a.pdf' }),
    'an image by id': message({ type: 'input_image', file_id: 'file_1' }),
    'a file in an output': output({ type: 'input_file', file_id: 'file_1' }),
    'a screenshot by id': item({
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', file_id: 'file_1' },
    }),
    'audio by id': message({ type: 'input_audio', input_audio: { id: 'a' } }),
    'a part of a new type': message({ type: 'input_video', url: 'https://a.example' }),
    'a search of xAI': { search_parameters: { mode: 'on' } },
    'an earlier response': { previous_response_id: 'resp_1' },
    'a conversation': { conversation: 'conv_1' },
    'a stored prompt': { prompt: { id: 'pmpt_1' } },
    'a compaction': { context_management: [{ type: 'compaction' }] },
    'a tool of the provider': { tools: [{ type: 'web_search' }] },
    'such a tool of an item': item({ type: 'additional_tools', tools: [{ type: 'mcp' }] }),
    'a member of a new kind': item({ role: 'user', content: 'Hi', library: 'lib_1' }),
  },
  'anthropic-messages': {
    'a thread': { thread: { type: 'create' } },
    'a container': { container: 'container_1' },
    'MCP servers': { mcp_servers: [{ type: 'url', url: 'https://a.example' }] },
    'a tool of the provider': { tools: [{ type: 'web_search_20250305' }] },
    'such a tool in a message': blocks({
      type: 'tool_addition',
      tool: { definition: { type: 'code_execution_20260120' } },
    }),
    'an image by id': blocks(source('image', { type: 'file', file_id: 'file_1' })),
    'a document by id': blocks(source('document', { type: 'file', file_id: 'file_1' })),
    'a document by URL': blocks(source('document', { type: 'url', url: 'https://a.example' })),
    'a document of a tool': result(source('document', { type: 'file', file_id: 'file_1' })),
    'an image of a tool by id': result(source('image', { type: 'file', file_id: 'file_1' })),
    'an image by id in a document': blocks(
      source('document', { type: 'content', content: [source('image', { type: 'file' })] }),
    ),
    'a file for a container': blocks({ type: 'container_upload', file_id: 'file_1' }),
    'results of code': blocks({ type: 'code_execution_tool_result', content: {} }),
    'a compaction': { context_management: { edits: [{ type: 'compact_20260112' }] } },
  },
  'gemini-generate': {
    'cached content': { cachedContent: 'cachedContents/a' },
    'a tool of the provider': { tools: [{ functionDeclarations: [] }, { googleSearch: {} }] },
    'another model': { generationConfig: { routingConfig: { manualMode: {} } } },
    'a stored file': parts({
      fileData: {
        fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a',
        mimeType: 'image/png',
      },
    }),
    'a video by URL': parts({ file_data: { file_uri: 'https://www.youtube.com/watch?v=a.png' } }),
    'a file in a bucket': parts({ fileData: { fileUri: 'gs://a/b.png', mimeType: 'image/png' } }),
    'a file of the model': parts({ fileData: { fileUri: 'https://a.example/a.pdf' } }, 'model'),
    'a file of a function': response({ fileData: { fileUri: 'gs://a/b' } }),
    'a file in the instruction': { systemInstruction: { parts: [{ fileData: { fileUri: 'gs://a/b' } }] } },
    'an object instead of a list': { contents: { parts: { fileData: { fileUri: 'gs://a/b' } } } },
    'a part of a new kind': parts({ toolCall: {} }),
  },
  'bedrock-converse': {
    'a file in a bucket': converse({ video: { source: { s3Location: { uri: 's3://a/b' } } } }),
    'a block of a new kind': converse({ guardContent: {} }),
    'a prompt of its own': { promptVariables: { a: { text: 'b' } } },
  },
})

test.each(EXTERNAL)('%s: %s is external', (format, _, body) => {
  expect(readSentContent(format, { ...body }).external).toBe(true)
})

describe('what is in the body is neither', () => {
  const lookAlike = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } }
  const args = JSON.stringify({ file_id: 'x', part: { type: 'image_url', image_url: { url: PNG } } })

  test.each(
    rows({
      'openai-chat': {
        text: chat({ type: 'text', text: `${PNG} {"type":"item_reference","file_id":"x"}` }),
        sounds: chat({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
        arguments: { messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: args } }] }] },
        functions: {
          tools: [{ type: 'function', function: { name: 'f', parameters: lookAlike } }, { type: 'custom' }],
        },
        'no search': { enable_search: false, web_search_options: null, files: [] },
        'options of vendors': {
          top_k: 5,
          reasoning: { effort: 'low' },
          chat_template_kwargs: { enable_thinking: false },
        },
        prompts: { prompt: ['a', 'b'], suffix: 'c' },
        'prompts of tokens': { prompt: [[1, 2], [3]], echo: true },
      },
      'openai-responses': {
        'tools that the client runs': {
          tools: [
            { type: 'shell' },
            { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f' }] },
          ],
        },
        text: { input: 'Hi' },
        'messages with ids': item({
          id: 'msg_1',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'x' }],
        }),
        calls: item({ type: 'function_call', id: 'fc_1', name: 'f', arguments: args }),
        'outputs of a shell': item({ type: 'shell_call_output', output: [{ stdout: PNG }] }),
        'encrypted reasoning': item({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }),
        'open reasoning': item({
          type: 'reasoning',
          id: 'rs_1',
          content: [{ type: 'reasoning_text', text: 'x' }],
        }),
      },
      'anthropic-messages': {
        'tools that the client runs': {
          tools: [{ name: 'f', input_schema: {} }, { type: 'bash_20250124' }, { type: 'memory_20250818' }],
        },
        calls: blocks({ type: 'tool_use', id: 't', name: 'f', input: lookAlike }),
        'documents of text': blocks({ type: 'document', source: { type: 'text', data: 'x' } }),
        'results of searches': blocks({
          type: 'web_search_tool_result',
          content: [{ encrypted_content: 'x' }],
        }),
      },
      'gemini-generate': {
        functions: { tools: [{ function_declarations: [{ name: 'f' }] }] },
        calls: parts({
          functionCall: { name: 'f', args: { inlineData: { mimeType: 'image/png', data: DATA } } },
        }),
        results: parts({ function_response: { name: 'f', response: lookAlike } }),
        sounds: parts({ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }),
        thoughts: parts({ text: 'x', thought: true, thoughtSignature: 'x' }, 'model'),
      },
      'bedrock-converse': {
        calls: converse({ toolUse: { toolUseId: 'a', name: 'f', input: { image: bytes(DATA) } } }),
        thoughts: converse(
          { reasoningContent: { redactedContent: 'AAAA' } },
          { cachePoint: { type: 'default' } },
        ),
        sounds: converse({ audio: { format: 'wav', ...bytes('AAAA') } }),
        functions: { toolConfig: { tools: [{ toolSpec: { name: 'f', inputSchema: { json: lookAlike } } }] } },
      },
    }),
  )('%s: %s', (format, _, body) => {
    expect({ ...readSentContent(format, { ...body }), dataBytes: 0 }).toEqual(NO_CONTENT)
  })
})
