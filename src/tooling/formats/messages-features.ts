// Source: Anthropic's Messages API reference, versions 2023-06-01 and 2026-10-21.
import type { JsonObject } from '../../gateway/formats/json/json.ts'
import { MessagesRequest } from '../../shared/formats/messages.ts'
import type { ClientFeatures } from './feature.ts'
import { IMAGE_URL, MARK, PDF, PNG, SCHEMA } from './samples.ts'

const hello = { role: 'user', content: 'Hello' }
const block = (value: JsonObject) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }, value] }],
})
const tool = (name: string, more: JsonObject = {}) => ({ name, input_schema: SCHEMA, ...more })
const tools = { tools: [tool('get_weather'), tool('get_time')] }
const call = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rome' } }
const answered = (content: unknown, ...before: JsonObject[]) => ({
  messages: [
    hello,
    { role: 'assistant', content: [...before, call] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
  ],
})
const image = (source: JsonObject) => ({ type: 'image', source })
const base64 = (media_type: string, data: string) => ({ type: 'base64', media_type, data })
const SIGNATURE = 'bWFyay1vZi10aGUtdmVuZG9y'

export const messagesFeatures: ClientFeatures = {
  endpoint: '/v1/messages',
  schema: MessagesRequest,
  base: { model: 'model', max_tokens: 8000, messages: [hello] },
  features: [
    { name: '`system`', fields: { system: MARK }, marker: MARK },
    {
      name: 'System message in the middle',
      fields: { messages: [hello, { role: 'system', content: MARK }, hello] },
      marker: MARK,
    },
    {
      name: 'Begun answer (last message of the assistant)',
      fields: { messages: [hello, { role: 'assistant', content: MARK }] },
      marker: MARK,
    },
    { name: 'Image (base64)', fields: block(image(base64('image/png', PNG))), marker: PNG },
    {
      name: 'Image by web URL',
      fields: block(image({ type: 'url', url: IMAGE_URL })),
      marker: IMAGE_URL,
    },
    {
      name: 'PDF file (base64)',
      fields: block({ type: 'document', source: base64('application/pdf', PDF) }),
      marker: PDF,
    },
    {
      name: 'Text document',
      fields: block({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: MARK } }),
      marker: MARK,
    },
    {
      name: 'PDF file by web URL',
      fields: block({ type: 'document', source: { type: 'url', url: `https://files.example/${MARK}.pdf` } }),
      marker: MARK,
    },
    {
      name: 'File by id',
      fields: block({ type: 'document', source: { type: 'file', file_id: `file_${MARK}` } }),
      marker: MARK,
    },
    {
      name: 'Search result as content',
      fields: block({
        type: 'search_result',
        source: 'https://pages.example',
        title: 'A page',
        content: [{ type: 'text', text: MARK }],
      }),
      marker: MARK,
    },
    {
      name: 'Citations',
      given: block({ type: 'document', source: base64('application/pdf', PDF) }),
      fields: block({
        type: 'document',
        source: base64('application/pdf', PDF),
        citations: { enabled: true },
      }),
    },
    { name: 'Tools', fields: { tools: [tool('get_weather', { description: MARK })] }, marker: MARK },
    {
      name: 'Strict tool',
      given: tools,
      fields: { tools: [tool('get_weather', { strict: true }), tool('get_time')] },
    },
    ...['web_search_20250305', 'web_fetch_20250910', 'code_execution_20250825'].map((type) => ({
      name: `Server tool \`${type.replace(/_\d+$/, '')}\``,
      fields: { tools: [{ type, name: type.replace(/_\d+$/, '') }] },
    })),
    ...[
      ['bash_20250124', 'bash'],
      ['text_editor_20250728', 'str_replace_based_edit_tool'],
      ['memory_20250818', 'memory'],
      ['computer_20250124', 'computer'],
    ].map(([type, name]) => ({
      name: `Anthropic’s client tool \`${name}\``,
      fields: { tools: [{ type, name, display_width_px: 1024, display_height_px: 768 }] },
    })),
    {
      name: 'MCP servers',
      fields: { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'example' }] },
    },
    { name: 'Tool choice `any`', given: tools, fields: { tool_choice: { type: 'any' } } },
    { name: 'Tool choice `none`', given: tools, fields: { tool_choice: { type: 'none' } } },
    {
      name: 'Tool choice of one tool',
      given: tools,
      fields: { tool_choice: { type: 'tool', name: 'get_time' } },
    },
    {
      name: 'No parallel tool use',
      given: { ...tools, tool_choice: { type: 'auto' } },
      fields: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    },
    { name: 'Tool result', given: tools, fields: answered(MARK), marker: MARK },
    {
      name: 'Image in a tool result',
      given: tools,
      fields: answered([image(base64('image/png', PNG))]),
      marker: PNG,
    },
    {
      name: 'Vendor’s signed thinking of earlier turns',
      given: tools,
      fields: answered('Sunny', { type: 'thinking', thinking: 'Hm', signature: SIGNATURE }),
      marker: SIGNATURE,
    },
    {
      name: 'Structured output (`output_config.format`)',
      fields: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
      marker: '"city"',
    },
    { name: 'Output limit', fields: { max_tokens: 321 }, marker: '321' },
    { name: 'Stop sequences', fields: { stop_sequences: [MARK] }, marker: MARK },
    { name: 'Temperature', fields: { temperature: 0.5 } },
    { name: '`top_p`', fields: { top_p: 0.5 } },
    { name: '`top_k`', fields: { top_k: 40 } },
    { name: 'Effort (`output_config.effort`)', fields: { output_config: { effort: 'low' } } },
    { name: 'Adaptive thinking', fields: { thinking: { type: 'adaptive' } } },
    { name: 'Thinking budget', fields: { thinking: { type: 'enabled', budget_tokens: 2048 } } },
    { name: 'No thinking', fields: { thinking: { type: 'disabled' } } },
    {
      name: 'Cache breakpoint (`cache_control`)',
      given: block({ type: 'text', text: 'More' }),
      fields: block({ type: 'text', text: 'More', cache_control: { type: 'ephemeral' } }),
    },
    { name: 'User (`metadata.user_id`)', fields: { metadata: { user_id: MARK } }, marker: MARK },
    { name: 'Service tier', fields: { service_tier: 'standard_only' } },
    { name: 'Container', fields: { container: `container_${MARK}` } },
    {
      name: 'Context management',
      fields: { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
    },
  ],
}
