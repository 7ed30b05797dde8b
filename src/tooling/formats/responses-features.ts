// Source: OpenAI's API reference, "Create a model response".
import type { JsonObject } from '../../gateway/formats/json/json.ts'
import { ResponseRequest } from '../../shared/formats/responses.ts'
import { type ClientFeatures, type Feature, IMAGE_URL, MARK, PDF, PNG, SCHEMA, WAV } from './feature.ts'

const hello = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }
const part = (value: JsonObject) => ({
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }, value] }],
})
const items = (...values: JsonObject[]) => ({ input: [hello, ...values] })
const functionTool = (name: string, more: JsonObject = {}) => ({
  type: 'function',
  name,
  parameters: SCHEMA,
  strict: false,
  ...more,
})
const tools = { tools: [functionTool('get_weather'), functionTool('get_time')] }
const call = { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Rome"}' }
const answered = (output: unknown, ...before: JsonObject[]) =>
  items(...before, call, { type: 'function_call_output', call_id: 'call_1', output })

export const responsesFeatures: ClientFeatures = {
  endpoint: '/v1/responses',
  schema: ResponseRequest,
  base: { model: 'model', input: [hello] },
  features: [
    ['Input as a text', { input: MARK }],
    ['`instructions`', { instructions: MARK }],
    ['Developer message', { input: [{ role: 'developer', content: MARK }, hello] }],
    [
      'Image by `data:` URL',
      part({ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' }),
    ],
    ['Image by web URL', part({ type: 'input_image', image_url: IMAGE_URL, detail: 'auto' })],
    [
      'PDF file',
      part({ type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` }),
    ],
    ['File by id', part({ type: 'input_file', file_id: `file-${MARK}` })],
    ['Audio input', part({ type: 'input_audio', input_audio: { data: WAV, format: 'wav' } })],
    ['Function tools', { tools: [functionTool('get_weather', { description: MARK })] }],
    [
      'Strict function',
      { tools: [functionTool('get_weather', { strict: true }), functionTool('get_time')] },
      tools,
    ],
    ['Custom tool (text input)', { tools: [{ type: 'custom', name: MARK, description: 'Runs code' }] }],
    [
      'Custom tool with a grammar',
      {
        tools: [
          { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: MARK } },
        ],
      },
    ],
    ['Namespace of tools', { tools: [{ type: 'namespace', name: 'travel', tools: [functionTool(MARK)] }] }],
    ...['web_search', 'file_search', 'code_interpreter', 'image_generation', 'mcp', 'local_shell'].map(
      (type): Feature => [`Hosted tool \`${type}\``, { tools: [{ type }] }],
    ),
    ['Tool choice `required`', { tool_choice: 'required' }, tools],
    ['Tool choice `none`', { tool_choice: 'none' }, tools],
    ['Tool choice of one function', { tool_choice: { type: 'function', name: 'get_time' } }, tools],
    [
      'Allowed tools',
      {
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_time' }] },
      },
      tools,
    ],
    ['No parallel tool calls', { parallel_tool_calls: false }, tools],
    ['Tool result', answered(MARK), tools],
    [
      'Image in a tool result',
      answered([{ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' }]),
      tools,
    ],
    [
      'Vendor’s encrypted reasoning of earlier turns',
      answered('Sunny', { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: MARK }),
      tools,
    ],
    ['Reference to an earlier item', items({ type: 'item_reference', id: `msg_${MARK}` })],
    ['`previous_response_id`', { previous_response_id: `resp_${MARK}` }],
    ['`conversation`', { conversation: `conv_${MARK}` }],
    ['`prompt` (stored template)', { prompt: { id: `pmpt_${MARK}` } }],
    ['`background`', { background: true }],
    [
      'Structured output (JSON Schema)',
      { text: { format: { type: 'json_schema', name: 'place', schema: SCHEMA } } },
    ],
    ['JSON object mode', { text: { format: { type: 'json_object' } } }],
    ['Output limit', { max_output_tokens: 321 }],
    ['Limit of tool calls', { max_tool_calls: 3 }, tools],
    ['Temperature', { temperature: 0.5 }],
    ['`top_p`', { top_p: 0.5 }],
    ['Log probabilities', { top_logprobs: 3, include: ['message.output_text.logprobs'] }],
    ['Reasoning effort', { reasoning: { effort: 'low' } }],
    ['Reasoning summary', { reasoning: { summary: 'auto' } }],
    ['Verbosity', { text: { verbosity: 'low' } }],
    ['Prompt cache key', { prompt_cache_key: MARK }],
    ['User', { user: MARK }],
    ['Safety identifier', { safety_identifier: MARK }],
    ['Metadata', { metadata: { key: MARK } }],
    ['Service tier', { service_tier: 'flex' }],
    ['Truncation', { truncation: 'auto' }],
    ['Context management', { context_management: [{ type: 'compaction' }] }],
  ],
}
