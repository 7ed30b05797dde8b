// Source: OpenAI's API reference, "Create chat completion".

import type { JsonObject } from '../../gateway/formats/json/json.ts'
import { ChatRequest } from '../../shared/formats/chat.ts'
import { type ClientFeatures, IMAGE_URL, MARK, PDF, PNG, SCHEMA, WAV } from './feature.ts'

const hello = { role: 'user', content: 'Hello' }
const part = (value: JsonObject) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }, value] }],
})
const functionTool = (name: string, more: JsonObject = {}) => ({
  type: 'function',
  function: { name, parameters: SCHEMA, ...more },
})
const tools = { tools: [functionTool('get_weather'), functionTool('get_time')] }
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Rome"}' },
}
const answered = (content: unknown, more: JsonObject = {}) => ({
  messages: [
    hello,
    { role: 'assistant', content: null, tool_calls: [call], ...more },
    { role: 'tool', tool_call_id: 'call_1', content },
  ],
})

export const chatFeatures: ClientFeatures = {
  endpoint: '/v1/chat/completions',
  schema: ChatRequest,
  base: { model: 'model', messages: [hello] },
  several: 'n',
  features: [
    ['System message', { messages: [{ role: 'system', content: MARK }, hello] }],
    ['Developer message', { messages: [{ role: 'developer', content: MARK }, hello] }],
    ['Image by `data:` URL', part({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } })],
    ['Image by web URL', part({ type: 'image_url', image_url: { url: IMAGE_URL } })],
    [
      'PDF file',
      part({ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } }),
    ],
    ['File by id', part({ type: 'file', file: { file_id: `file-${MARK}` } })],
    ['Audio input', part({ type: 'input_audio', input_audio: { data: WAV, format: 'wav' } })],
    ['Function tools', { tools: [functionTool('get_weather', { description: MARK })] }],
    [
      'Strict function',
      { tools: [functionTool('get_weather', { strict: true }), functionTool('get_time')] },
      tools,
    ],
    ['Custom tool (text input)', { tools: [{ type: 'custom', custom: { name: MARK } }] }],
    ['Vendor’s own tool', { tools: [{ type: `vendor_${MARK}` }] }],
    ['Web search (`web_search_options`)', { web_search_options: {} }],
    ['Tool choice `required`', { tool_choice: 'required' }, tools],
    ['Tool choice `none`', { tool_choice: 'none' }, tools],
    [
      'Tool choice of one function',
      { tool_choice: { type: 'function', function: { name: 'get_time' } } },
      tools,
    ],
    [
      'Allowed tools',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'get_time' } }] },
        },
      },
      tools,
    ],
    ['No parallel tool calls', { parallel_tool_calls: false }, tools],
    ['Tool result', answered(MARK), tools],
    [
      'Image in a tool result',
      answered([{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }]),
      tools,
    ],
    ['Legacy `functions`', { functions: [{ name: MARK, parameters: SCHEMA }] }],
    [
      'Structured output (JSON Schema)',
      { response_format: { type: 'json_schema', json_schema: { name: 'place', schema: SCHEMA } } },
    ],
    ['JSON object mode', { response_format: { type: 'json_object' } }],
    ['Output limit', { max_completion_tokens: 321 }],
    ['Stop sequences', { stop: [MARK] }],
    ['Temperature', { temperature: 0.5 }],
    ['`top_p`', { top_p: 0.5 }],
    ['Frequency penalty', { frequency_penalty: 0.5 }],
    ['Presence penalty', { presence_penalty: 0.5 }],
    ['Seed', { seed: 7 }],
    ['Several choices (`n`)', { n: 2 }],
    ['Log probabilities', { logprobs: true, top_logprobs: 3 }],
    ['Logit bias', { logit_bias: { 50256: -100 } }],
    ['Reasoning effort', { reasoning_effort: 'low' }],
    ['No reasoning (effort `none`)', { reasoning_effort: 'none' }],
    [
      'Reasoning of earlier turns (`reasoning_content`)',
      answered('Sunny', { reasoning_content: MARK }),
      tools,
    ],
    ['Verbosity', { verbosity: 'low' }],
    ['Prediction', { prediction: { type: 'content', content: MARK } }],
    ['Audio output', { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }],
    [
      'Cache breakpoint (`cache_control`)',
      part({ type: 'text', text: 'More', cache_control: { type: 'ephemeral' } }),
      part({ type: 'text', text: 'More' }),
    ],
    ['Prompt cache key', { prompt_cache_key: MARK }],
    ['User', { user: MARK }],
    ['Safety identifier', { safety_identifier: MARK }],
    ['Metadata', { metadata: { key: MARK } }],
    ['Stored completion (`store`)', { store: true }],
    ['Service tier', { service_tier: 'flex' }],
    ['Field of a vendor (`top_k`)', { top_k: 40 }],
  ],
}
