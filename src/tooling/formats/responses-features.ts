// Source: OpenAI's API reference, "Create a model response".
import type { JsonObject } from '../../gateway/formats/json/json.ts'
import { ResponseRequest } from '../../shared/formats/responses.ts'
import type { ClientFeatures } from './feature.ts'
import { IMAGE_URL, MARK, PDF, PNG, SCHEMA, WAV } from './samples.ts'

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
    { name: 'Input as a text', fields: { input: MARK }, marker: MARK },
    { name: '`instructions`', fields: { instructions: MARK }, marker: MARK },
    {
      name: 'Developer message',
      fields: { input: [{ role: 'developer', content: MARK }, hello] },
      marker: MARK,
    },
    {
      name: 'Image by `data:` URL',
      fields: part({ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' }),
      marker: PNG,
    },
    {
      name: 'Image by web URL',
      fields: part({ type: 'input_image', image_url: IMAGE_URL, detail: 'auto' }),
      marker: IMAGE_URL,
    },
    {
      name: 'PDF file',
      fields: part({
        type: 'input_file',
        filename: 'a.pdf',
        file_data: `data:application/pdf;base64,${PDF}`,
      }),
      marker: PDF,
    },
    { name: 'File by id', fields: part({ type: 'input_file', file_id: `file-${MARK}` }), marker: MARK },
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
      fields: { tools: [{ type: 'custom', name: MARK, description: 'Runs code' }] },
      marker: MARK,
    },
    {
      name: 'Custom tool with a grammar',
      fields: {
        tools: [
          { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: MARK } },
        ],
      },
      marker: MARK,
    },
    {
      name: 'Namespace of tools',
      fields: { tools: [{ type: 'namespace', name: 'travel', tools: [functionTool(MARK)] }] },
      marker: MARK,
    },
    ...['web_search', 'file_search', 'code_interpreter', 'image_generation', 'mcp', 'local_shell'].map(
      (type) => ({ name: `Hosted tool \`${type}\``, fields: { tools: [{ type }] } }),
    ),
    { name: 'Tool choice `required`', given: tools, fields: { tool_choice: 'required' } },
    { name: 'Tool choice `none`', given: tools, fields: { tool_choice: 'none' } },
    {
      name: 'Tool choice of one function',
      given: tools,
      fields: { tool_choice: { type: 'function', name: 'get_time' } },
    },
    {
      name: 'Allowed tools',
      given: tools,
      fields: {
        tool_choice: {
          type: 'allowed_tools',
          mode: 'auto',
          tools: [{ type: 'function', name: 'get_time' }],
        },
      },
    },
    { name: 'No parallel tool calls', given: tools, fields: { parallel_tool_calls: false } },
    { name: 'Tool result', given: tools, fields: answered(MARK), marker: MARK },
    {
      name: 'Image in a tool result',
      given: tools,
      fields: answered([{ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' }]),
      marker: PNG,
    },
    {
      name: 'Vendor’s encrypted reasoning of earlier turns',
      given: tools,
      fields: answered('Sunny', { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: MARK }),
      marker: MARK,
    },
    { name: 'Reference to an earlier item', fields: items({ type: 'item_reference', id: `msg_${MARK}` }) },
    { name: '`previous_response_id`', fields: { previous_response_id: `resp_${MARK}` } },
    { name: '`conversation`', fields: { conversation: `conv_${MARK}` } },
    { name: '`prompt` (stored template)', fields: { prompt: { id: `pmpt_${MARK}` } } },
    { name: '`background`', fields: { background: true } },
    {
      name: 'Structured output (JSON Schema)',
      fields: { text: { format: { type: 'json_schema', name: 'place', schema: SCHEMA } } },
      marker: '"city"',
    },
    { name: 'JSON object mode', fields: { text: { format: { type: 'json_object' } } } },
    { name: 'Output limit', fields: { max_output_tokens: 321 }, marker: '321' },
    { name: 'Limit of tool calls', given: tools, fields: { max_tool_calls: 3 } },
    { name: 'Temperature', fields: { temperature: 0.5 } },
    { name: '`top_p`', fields: { top_p: 0.5 } },
    {
      name: 'Log probabilities',
      fields: { top_logprobs: 3, include: ['message.output_text.logprobs'] },
    },
    { name: 'Reasoning effort', fields: { reasoning: { effort: 'low' } } },
    { name: 'Reasoning summary', fields: { reasoning: { summary: 'auto' } } },
    { name: 'Verbosity', fields: { text: { verbosity: 'low' } } },
    { name: 'Prompt cache key', fields: { prompt_cache_key: MARK }, marker: MARK },
    { name: 'User', fields: { user: MARK }, marker: MARK },
    { name: 'Safety identifier', fields: { safety_identifier: MARK }, marker: MARK },
    { name: 'Metadata', fields: { metadata: { key: MARK } }, marker: MARK },
    { name: 'Service tier', fields: { service_tier: 'flex' } },
    { name: 'Truncation', fields: { truncation: 'auto' } },
    { name: 'Context management', fields: { context_management: [{ type: 'compaction' }] } },
  ],
}
