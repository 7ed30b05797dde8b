import { describe, expect, test } from 'vitest'
import type { ApiFormat } from '../../../shared/api/providers.ts'
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
const parts = (part: object, role = 'user') => ({ contents: [{ role, parts: [part] }] })
const response = (part: object) => parts({ functionResponse: { name: 'f', response: {}, parts: [part] } })

type Row = [ApiFormat, string, object]

const IMAGES: Row[] = [
  ['openai-chat', 'a part', chat({ type: 'image_url', image_url: { url: PNG } })],
  ['openai-chat', 'a system message', chat({ type: 'image_url', image_url: { url: PNG } }, 'system')],
  ['openai-chat', 'a result of a tool', chat({ type: 'image_url', image_url: { url: PNG } }, 'tool')],
  ['openai-chat', 'a part of Mistral', chat({ type: 'image_url', image_url: PNG })],
  ['openai-responses', 'a message', message({ type: 'input_image', image_url: PNG })],
  ['openai-responses', 'an assistant message', message({ type: 'input_image', image_url: PNG }, 'assistant')],
  ['openai-responses', 'an output', output({ type: 'input_image', image_url: PNG })],
  [
    'openai-responses',
    'a screenshot',
    item({ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: PNG } }),
  ],
  [
    'openai-responses',
    'an image that was made',
    item({ type: 'image_generation_call', id: 'i', result: DATA }),
  ],
  ['anthropic-messages', 'a block', blocks(source('image', { data: DATA }))],
  ['anthropic-messages', 'a result of a tool', result(source('image', { data: DATA }))],
  [
    'anthropic-messages',
    'a document',
    blocks(source('document', { type: 'content', content: [source('image', { data: DATA })] })),
  ],
  ['gemini-generate', 'a part', parts({ inlineData: { mimeType: 'image/png', data: DATA } })],
  [
    'gemini-generate',
    'a turn of the model',
    parts({ inline_data: { mime_type: 'image/png', data: DATA } }, 'model'),
  ],
  [
    'gemini-generate',
    'a result of a function',
    response({ inlineData: { mimeType: 'image/png', data: DATA } }),
  ],
  [
    'gemini-generate',
    'the system instruction',
    { system_instruction: { parts: { inlineData: { mimeType: 'image/png', data: DATA } } } },
  ],
]

test.each(IMAGES)('%s: an image in %s is counted, and its data is no text', (format, _, body) => {
  const images = { count: 1, bytes: DATA.length }
  expect(readSentContent(format, { ...body })).toEqual({ ...NO_CONTENT, images })
})

const LINKS: Row[] = [
  ['openai-chat', 'URL', chat({ type: 'image_url', image_url: { url: 'https://a.example/a' } })],
  ['openai-responses', 'URL', message({ type: 'input_image', image_url: 'https://a.example/a' })],
  ['anthropic-messages', 'URL', blocks(source('image', { type: 'url', url: 'https://a.example/a' }))],
  [
    'gemini-generate',
    'URL',
    parts({ fileData: { fileUri: 'https://a.example/a.png?x', mimeType: 'image/png' } }),
  ],
  ['openai-chat', 'broken data', chat({ type: 'image_url', image_url: { url: `${PNG} and text` } })],
  ['anthropic-messages', 'broken data', blocks(source('image', { data: 'a text, and no image' }))],
  [
    'openai-chat',
    'image in an earlier answer',
    { messages: [{ role: 'assistant', images: [{ image_url: { url: PNG } }] }] },
  ],
]

test.each(LINKS)('%s: a %s is an image whose bytes count as text', (format, _, body) => {
  expect(readSentContent(format, { ...body }).images).toEqual({ count: 1, bytes: 0 })
})

const UNSIZED: Row[] = [
  ['openai-chat', 'a file', chat({ type: 'file', file: { filename: 'a.pdf', file_data: PDF } })],
  ['openai-chat', 'a document as an image', chat({ type: 'image_url', image_url: { url: PDF } })],
  ['openai-responses', 'a file', message({ type: 'input_file', filename: 'a.pdf', file_data: PDF })],
  ['openai-responses', 'a file in an output', output({ type: 'input_file', file_data: PDF })],
  ['openai-responses', 'a document as an image', message({ type: 'input_image', image_url: PDF })],
  ['anthropic-messages', 'a document', blocks(source('document', { data: 'JVBERi0=' }))],
  ['anthropic-messages', 'a document of a tool', result(source('document', { data: 'JVBERi0=' }))],
  ['gemini-generate', 'a document', parts({ inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } })],
  [
    'gemini-generate',
    'a video of the model',
    parts({ inline_data: { mime_type: 'video/mp4', data: 'AAAA' } }, 'model'),
  ],
  [
    'gemini-generate',
    'a video of a function',
    response({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }),
  ],
]

test.each(UNSIZED)('%s: %s is not bounded by its bytes', (format, _, body) => {
  const found = readSentContent(format, { ...body })
  expect(found).toMatchObject({ unsized: true, external: false })
  expect(found.dataBytes).toBeGreaterThan(0)
})

/** Every place where a request can refer to what only the provider has. */
const EXTERNAL: Row[] = [
  ['openai-chat', 'a file by id', chat({ type: 'file', file: { file_id: 'file_1' } })],
  [
    'openai-chat',
    'a file by id with data',
    chat({ type: 'file', file: { file_id: 'file_1', file_data: PDF } }),
  ],
  ['openai-chat', 'an image by id', chat({ type: 'image_url', image_url: { url: 'file_1' } })],
  ['openai-chat', 'an image in a bucket', chat({ type: 'image_url', image_url: { url: 'gs://a/b.mp4' } })],
  ['openai-chat', 'audio by id', chat({ type: 'input_audio', input_audio: { id: 'audio_1' } })],
  [
    'openai-chat',
    'an earlier answer in speech',
    { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
  ],
  ['openai-chat', 'a video', chat({ type: 'video_url', video_url: { url: 'https://a.example' } })],
  [
    'openai-chat',
    'a part in a result',
    chat({ type: 'document_url', document_url: 'https://a.example' }, 'tool'),
  ],
  ['openai-chat', 'a tool of the provider', { tools: [{ type: 'browser_search' }] }],
  ['openai-chat', 'a tool of the provider in a message', { messages: [{ tools: [{ type: 'search' }] }] }],
  ['openai-chat', 'a member that no vendor documents', { files: [{ type: 'collection', id: 'c1' }] }],
  [
    'openai-chat',
    'such a member of a message',
    { messages: [{ role: 'user', content: 'Hi', files: ['f'] }] },
  ],
  ['openai-chat', 'such a member of a part', chat({ type: 'text', text: 'Hi', file_id: 'f' })],
  ['openai-chat', 'a template', { chat_template: '{{ messages }}' }],
  ['openai-chat', 'a stored prompt', { prompt: { id: 'pmpt_1' } }],
  [
    'openai-chat',
    'a sound by URL',
    chat({ type: 'input_audio', input_audio: { data: 'https://a.example' } }),
  ],
  ['openai-chat', 'a file by URL', chat({ type: 'file', file: { file_data: 'https://a.example' } })],
  ['openai-chat', 'a search', { web_search_options: {} }],
  ['openai-chat', 'plugins', { plugins: [{ id: 'web' }] }],
  ['openai-chat', 'a search of xAI', { search_parameters: { mode: 'on' } }],
  ['openai-chat', 'data of Azure', { data_sources: [{ type: 'azure_search' }] }],
  ['openai-chat', 'a search of Alibaba', { enable_search: true }],
  [
    'openai-chat',
    'files of Alibaba',
    { messages: [{ role: 'system', content: 'fileid://file-fe-1,fileid://file-fe-2' }] },
  ],
  [
    'openai-chat',
    'a file of Alibaba in a part',
    chat({ type: 'text', text: 'fileid://file-fe-1' }, 'system'),
  ],
  ['openai-responses', 'an item by id', item({ id: 'msg_1' })],
  ['openai-responses', 'an item by id without a type', item({ id: 'msg_1', type: null })],
  ['openai-responses', 'an item reference', item({ type: 'item_reference', id: 'msg_1' })],
  ['openai-responses', 'a message by id', item({ type: 'message', id: 'msg_1', role: 'user' })],
  [
    'openai-responses',
    'an empty message by id',
    item({ id: 'msg_1', role: 'assistant', status: 'completed', content: [] }),
  ],
  ['openai-responses', 'a call by id', item({ type: 'function_call', id: 'fc_1', arguments: '' })],
  ['openai-responses', 'stored reasoning', item({ type: 'reasoning', id: 'rs_1', summary: [] })],
  [
    'openai-responses',
    'stored reasoning with its summary',
    item({
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'x' }],
      encrypted_content: null,
    }),
  ],
  ['openai-responses', 'a search of files', item({ type: 'file_search_call', id: 'fs_1', queries: ['x'] })],
  ['openai-responses', 'a search of the web', item({ type: 'web_search_call', id: 'ws_1', action: {} })],
  [
    'openai-responses',
    'code in a container',
    item({ type: 'code_interpreter_call', id: 'ci_1', container_id: 'c' }),
  ],
  [
    'openai-responses',
    'an image that was made, by id',
    item({ type: 'image_generation_call', id: 'ig_1', result: null }),
  ],
  ['openai-responses', 'an item of a new type', item({ type: 'dream', id: 'd_1', text: 'x' })],
  ['openai-responses', 'a file by id', message({ type: 'input_file', file_id: 'file_1' })],
  ['openai-responses', 'a file by URL', message({ type: 'input_file', file_url: 'https://a.example/a.pdf' })],
  ['openai-responses', 'an image by id', message({ type: 'input_image', file_id: 'file_1' })],
  ['openai-responses', 'a file in an output', output({ type: 'input_file', file_id: 'file_1' })],
  [
    'openai-responses',
    'a screenshot by id',
    item({ type: 'computer_call_output', output: { type: 'computer_screenshot', file_id: 'file_1' } }),
  ],
  ['openai-responses', 'audio by id', message({ type: 'input_audio', input_audio: { id: 'a' } })],
  ['openai-responses', 'a part of a new type', message({ type: 'input_video', url: 'https://a.example' })],
  ['openai-responses', 'a search of xAI', { search_parameters: { mode: 'on' } }],
  ['openai-responses', 'an earlier response', { previous_response_id: 'resp_1' }],
  ['openai-responses', 'a conversation', { conversation: 'conv_1' }],
  ['openai-responses', 'a stored prompt', { prompt: { id: 'pmpt_1' } }],
  ['openai-responses', 'a compaction', { context_management: [{ type: 'compaction' }] }],
  ['openai-responses', 'a tool of the provider', { tools: [{ type: 'web_search' }] }],
  [
    'openai-responses',
    'such a tool of an item',
    item({ type: 'additional_tools', tools: [{ type: 'mcp' }] }),
  ],
  ['openai-responses', 'a member of a new kind', item({ role: 'user', content: 'Hi', library: 'lib_1' })],
  ['anthropic-messages', 'a thread', { thread: { type: 'create' } }],
  ['anthropic-messages', 'a container', { container: 'container_1' }],
  ['anthropic-messages', 'MCP servers', { mcp_servers: [{ type: 'url', url: 'https://a.example' }] }],
  ['anthropic-messages', 'a tool of the provider', { tools: [{ type: 'web_search_20250305' }] }],
  [
    'anthropic-messages',
    'such a tool in a message',
    blocks({ type: 'tool_addition', tool: { definition: { type: 'code_execution_20260120' } } }),
  ],
  ['gemini-generate', 'cached content', { cachedContent: 'cachedContents/a' }],
  [
    'gemini-generate',
    'a tool of the provider',
    { tools: [{ functionDeclarations: [] }, { googleSearch: {} }] },
  ],
  ['gemini-generate', 'another model', { generationConfig: { routingConfig: { manualMode: {} } } }],
  ['anthropic-messages', 'an image by id', blocks(source('image', { type: 'file', file_id: 'file_1' }))],
  ['anthropic-messages', 'a document by id', blocks(source('document', { type: 'file', file_id: 'file_1' }))],
  [
    'anthropic-messages',
    'a document by URL',
    blocks(source('document', { type: 'url', url: 'https://a.example' })),
  ],
  [
    'anthropic-messages',
    'a document of a tool',
    result(source('document', { type: 'file', file_id: 'file_1' })),
  ],
  [
    'anthropic-messages',
    'an image of a tool by id',
    result(source('image', { type: 'file', file_id: 'file_1' })),
  ],
  [
    'anthropic-messages',
    'an image by id in a document',
    blocks(source('document', { type: 'content', content: [source('image', { type: 'file' })] })),
  ],
  ['anthropic-messages', 'a file for a container', blocks({ type: 'container_upload', file_id: 'file_1' })],
  ['anthropic-messages', 'results of code', blocks({ type: 'code_execution_tool_result', content: {} })],
  ['anthropic-messages', 'a compaction', { context_management: { edits: [{ type: 'compact_20260112' }] } }],
  [
    'gemini-generate',
    'a stored file',
    parts({
      fileData: {
        fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a',
        mimeType: 'image/png',
      },
    }),
  ],
  [
    'gemini-generate',
    'a video by URL',
    parts({ file_data: { file_uri: 'https://www.youtube.com/watch?v=a.png' } }),
  ],
  [
    'gemini-generate',
    'a file in a bucket',
    parts({ fileData: { fileUri: 'gs://a/b.png', mimeType: 'image/png' } }),
  ],
  [
    'gemini-generate',
    'a file of the model',
    parts({ fileData: { fileUri: 'https://a.example/a.pdf' } }, 'model'),
  ],
  ['gemini-generate', 'a file of a function', response({ fileData: { fileUri: 'gs://a/b' } })],
  [
    'gemini-generate',
    'a file in the instruction',
    { systemInstruction: { parts: [{ fileData: { fileUri: 'gs://a/b' } }] } },
  ],
  [
    'gemini-generate',
    'an object instead of a list',
    { contents: { parts: { fileData: { fileUri: 'gs://a/b' } } } },
  ],
  ['gemini-generate', 'a part of a new kind', parts({ toolCall: {} })],
]

test.each(EXTERNAL)('%s: %s is external', (format, _, body) => {
  expect(readSentContent(format, { ...body }).external).toBe(true)
})

describe('what is in the body is neither', () => {
  const lookAlike = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } }
  const args = JSON.stringify({ file_id: 'x', part: { type: 'image_url', image_url: { url: PNG } } })

  test.each<Row>([
    ['openai-chat', 'text', chat({ type: 'text', text: `${PNG} {"type":"item_reference","file_id":"x"}` })],
    ['openai-chat', 'sounds', chat({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })],
    [
      'openai-chat',
      'arguments',
      { messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: args } }] }] },
    ],
    [
      'openai-chat',
      'functions',
      { tools: [{ type: 'function', function: { name: 'f', parameters: lookAlike } }, { type: 'custom' }] },
    ],
    ['openai-chat', 'no search', { enable_search: false, web_search_options: null, files: [] }],
    [
      'openai-chat',
      'options of vendors',
      { top_k: 5, reasoning: { effort: 'low' }, chat_template_kwargs: { enable_thinking: false } },
    ],
    ['openai-chat', 'prompts', { prompt: ['a', 'b'], suffix: 'c' }],
    ['openai-chat', 'prompts of tokens', { prompt: [[1, 2], [3]], echo: true }],
    [
      'openai-responses',
      'tools that the client runs',
      {
        tools: [
          { type: 'shell' },
          { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f' }] },
        ],
      },
    ],
    [
      'anthropic-messages',
      'tools that the client runs',
      { tools: [{ name: 'f', input_schema: {} }, { type: 'bash_20250124' }, { type: 'memory_20250818' }] },
    ],
    ['gemini-generate', 'functions', { tools: [{ function_declarations: [{ name: 'f' }] }] }],
    ['openai-responses', 'text', { input: 'Hi' }],
    [
      'openai-responses',
      'messages with ids',
      item({ id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }),
    ],
    ['openai-responses', 'calls', item({ type: 'function_call', id: 'fc_1', name: 'f', arguments: args })],
    [
      'openai-responses',
      'outputs of a shell',
      item({ type: 'shell_call_output', output: [{ stdout: PNG }] }),
    ],
    [
      'openai-responses',
      'encrypted reasoning',
      item({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }),
    ],
    [
      'openai-responses',
      'open reasoning',
      item({ type: 'reasoning', id: 'rs_1', content: [{ type: 'reasoning_text', text: 'x' }] }),
    ],
    ['anthropic-messages', 'calls', blocks({ type: 'tool_use', id: 't', name: 'f', input: lookAlike })],
    [
      'anthropic-messages',
      'documents of text',
      blocks({ type: 'document', source: { type: 'text', data: 'x' } }),
    ],
    [
      'anthropic-messages',
      'results of searches',
      blocks({ type: 'web_search_tool_result', content: [{ encrypted_content: 'x' }] }),
    ],
    [
      'gemini-generate',
      'calls',
      parts({ functionCall: { name: 'f', args: { inlineData: { mimeType: 'image/png', data: DATA } } } }),
    ],
    ['gemini-generate', 'results', parts({ function_response: { name: 'f', response: lookAlike } })],
    ['gemini-generate', 'sounds', parts({ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } })],
    ['gemini-generate', 'thoughts', parts({ text: 'x', thought: true, thoughtSignature: 'x' }, 'model')],
  ])('%s: %s', (format, _, body) => {
    expect({ ...readSentContent(format, { ...body }), dataBytes: 0 }).toEqual(NO_CONTENT)
  })
})
