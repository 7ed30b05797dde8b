// Source: OpenAI's API reference, "Create chat completion".

import type { JsonObject } from '../../gateway/formats/json/json.ts'
import { ChatRequest } from '../../shared/formats/chat.ts'
import type { ClientFeatures } from './feature.ts'
import { IMAGE_URL, MARK, PDF, PNG, SCHEMA, WAV } from './samples.ts'

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
  features: [
    {
      name: 'System message',
      fields: { messages: [{ role: 'system', content: MARK }, hello] },
      marker: MARK,
    },
    {
      name: 'Developer message',
      fields: { messages: [{ role: 'developer', content: MARK }, hello] },
      marker: MARK,
    },
    {
      name: 'Image by `data:` URL',
      fields: part({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }),
      marker: PNG,
    },
    {
      name: 'Image by web URL',
      fields: part({ type: 'image_url', image_url: { url: IMAGE_URL } }),
      marker: IMAGE_URL,
    },
    {
      name: 'PDF file',
      fields: part({
        type: 'file',
        file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
      }),
      marker: PDF,
    },
    {
      name: 'File by id',
      fields: part({ type: 'file', file: { file_id: `file-${MARK}` } }),
      marker: MARK,
    },
    {
      name: 'Audio input',
      fields: part({ type: 'input_audio', input_audio: { data: WAV, format: 'wav' } }),
      marker: WAV,
    },
    {
      name: 'Function tools',
      fields: { tools: [functionTool('get_weather', { description: MARK })] },
      marker: MARK,
    },
    {
      name: 'Strict function',
      given: tools,
      fields: { tools: [functionTool('get_weather', { strict: true }), functionTool('get_time')] },
    },
    {
      name: 'Custom tool (text input)',
      fields: { tools: [{ type: 'custom', custom: { name: MARK } }] },
      marker: MARK,
    },
    { name: 'Vendor’s own tool', fields: { tools: [{ type: `vendor_${MARK}` }] }, marker: MARK },
    { name: 'Web search (`web_search_options`)', fields: { web_search_options: {} } },
    { name: 'Tool choice `required`', given: tools, fields: { tool_choice: 'required' } },
    { name: 'Tool choice `none`', given: tools, fields: { tool_choice: 'none' } },
    {
      name: 'Tool choice of one function',
      given: tools,
      fields: { tool_choice: { type: 'function', function: { name: 'get_time' } } },
    },
    {
      name: 'Allowed tools',
      given: tools,
      fields: {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: {
            mode: 'auto',
            tools: [{ type: 'function', function: { name: 'get_time' } }],
          },
        },
      },
    },
    { name: 'No parallel tool calls', given: tools, fields: { parallel_tool_calls: false } },
    { name: 'Tool result', given: tools, fields: answered(MARK), marker: MARK },
    {
      name: 'Image in a tool result',
      given: tools,
      fields: answered([{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }]),
      marker: PNG,
    },
    {
      name: 'Legacy `functions`',
      fields: { functions: [{ name: MARK, parameters: SCHEMA }] },
      marker: MARK,
    },
    {
      name: 'Structured output (JSON Schema)',
      fields: { response_format: { type: 'json_schema', json_schema: { name: 'place', schema: SCHEMA } } },
      marker: '"city"',
    },
    { name: 'JSON object mode', fields: { response_format: { type: 'json_object' } } },
    { name: 'Output limit', fields: { max_completion_tokens: 321 }, marker: '321' },
    { name: 'Stop sequences', fields: { stop: [MARK] }, marker: MARK },
    { name: 'Temperature', fields: { temperature: 0.5 } },
    { name: '`top_p`', fields: { top_p: 0.5 } },
    { name: 'Frequency penalty', fields: { frequency_penalty: 0.5 } },
    { name: 'Presence penalty', fields: { presence_penalty: 0.5 } },
    { name: 'Seed', fields: { seed: 7 } },
    { name: 'Several choices (`n`)', fields: { n: 2 }, byCalls: ({ noN }) => noN === true },
    { name: 'Log probabilities', fields: { logprobs: true, top_logprobs: 3 } },
    { name: 'Logit bias', fields: { logit_bias: { 50256: -100 } } },
    { name: 'Reasoning effort', fields: { reasoning_effort: 'low' } },
    { name: 'No reasoning (effort `none`)', fields: { reasoning_effort: 'none' } },
    {
      name: 'Reasoning of earlier turns (`reasoning_content`)',
      given: tools,
      fields: answered('Sunny', { reasoning_content: MARK }),
      marker: MARK,
    },
    { name: 'Verbosity', fields: { verbosity: 'low' } },
    { name: 'Prediction', fields: { prediction: { type: 'content', content: MARK } }, marker: MARK },
    {
      name: 'Audio output',
      fields: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
    },
    {
      name: 'Cache breakpoint (`cache_control`)',
      given: part({ type: 'text', text: 'More' }),
      fields: part({ type: 'text', text: 'More', cache_control: { type: 'ephemeral' } }),
    },
    { name: 'Prompt cache key', fields: { prompt_cache_key: MARK }, marker: MARK },
    { name: 'User', fields: { user: MARK }, marker: MARK },
    { name: 'Safety identifier', fields: { safety_identifier: MARK }, marker: MARK },
    { name: 'Metadata', fields: { metadata: { key: MARK } }, marker: MARK },
    { name: 'Stored completion (`store`)', fields: { store: true } },
    { name: 'Service tier', fields: { service_tier: 'flex' } },
    { name: 'Field of a vendor (`top_k`)', fields: { top_k: 40 } },
  ],
}
