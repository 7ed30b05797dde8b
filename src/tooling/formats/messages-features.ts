// Source: Anthropic's Messages API reference, versions 2023-06-01 and 2026-10-21.
import type { JsonObject } from '../../gateway/formats/json/json.ts'
import { MessagesRequest } from '../../shared/formats/messages.ts'
import { type ClientFeatures, type Feature, IMAGE_URL, MARK, PDF, PNG, SCHEMA, SIGNATURE } from './feature.ts'

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

export const messagesFeatures: ClientFeatures = {
  endpoint: '/v1/messages',
  schema: MessagesRequest,
  base: { model: 'model', max_tokens: 8000, messages: [hello] },
  features: [
    ['`system`', { system: MARK }],
    ['System message in the middle', { messages: [hello, { role: 'system', content: MARK }, hello] }],
    [
      'Begun answer (last message of the assistant)',
      { messages: [hello, { role: 'assistant', content: MARK }] },
    ],
    ['Image (base64)', block(image(base64('image/png', PNG)))],
    ['Image by web URL', block(image({ type: 'url', url: IMAGE_URL }))],
    ['PDF file (base64)', block({ type: 'document', source: base64('application/pdf', PDF) })],
    [
      'Text document',
      block({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: MARK } }),
    ],
    [
      'PDF file by web URL',
      block({ type: 'document', source: { type: 'url', url: `https://files.example/${MARK}.pdf` } }),
    ],
    ['File by id', block({ type: 'document', source: { type: 'file', file_id: `file_${MARK}` } })],
    [
      'Search result as content',
      block({
        type: 'search_result',
        source: 'https://pages.example',
        title: 'A page',
        content: [{ type: 'text', text: MARK }],
      }),
    ],
    [
      'Citations',
      block({ type: 'document', source: base64('application/pdf', PDF), citations: { enabled: true } }),
      block({ type: 'document', source: base64('application/pdf', PDF) }),
    ],
    ['Tools', { tools: [tool('get_weather', { description: MARK })] }],
    ['Strict tool', { tools: [tool('get_weather', { strict: true }), tool('get_time')] }, tools],
    ...['web_search_20250305', 'web_fetch_20250910', 'code_execution_20250825'].map(
      (type): Feature => [
        `Server tool \`${type.replace(/_\d+$/, '')}\``,
        { tools: [{ type, name: type.replace(/_\d+$/, '') }] },
      ],
    ),
    ...[
      ['bash_20250124', 'bash'],
      ['text_editor_20250728', 'str_replace_based_edit_tool'],
      ['memory_20250818', 'memory'],
      ['computer_20250124', 'computer'],
    ].map(
      ([type, name]): Feature => [
        `Anthropic’s client tool \`${name}\``,
        { tools: [{ type, name, display_width_px: 1024, display_height_px: 768 }] },
      ],
    ),
    ['MCP servers', { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'example' }] }],
    ['Tool choice `any`', { tool_choice: { type: 'any' } }, tools],
    ['Tool choice `none`', { tool_choice: { type: 'none' } }, tools],
    ['Tool choice of one tool', { tool_choice: { type: 'tool', name: 'get_time' } }, tools],
    [
      'No parallel tool use',
      { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      { ...tools, tool_choice: { type: 'auto' } },
    ],
    ['Tool result', answered(MARK), tools],
    ['Image in a tool result', answered([image(base64('image/png', PNG))]), tools],
    [
      'Vendor’s signed thinking of earlier turns',
      answered('Sunny', { type: 'thinking', thinking: 'Hm', signature: SIGNATURE }),
      tools,
    ],
    [
      'Structured output (`output_config.format`)',
      { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
    ],
    ['Output limit', { max_tokens: 321 }],
    ['Stop sequences', { stop_sequences: [MARK] }],
    ['Temperature', { temperature: 0.5 }],
    ['`top_p`', { top_p: 0.5 }],
    ['`top_k`', { top_k: 40 }],
    ['Effort (`output_config.effort`)', { output_config: { effort: 'low' } }],
    ['Adaptive thinking', { thinking: { type: 'adaptive' } }],
    ['Thinking budget', { thinking: { type: 'enabled', budget_tokens: 2048 } }],
    ['No thinking', { thinking: { type: 'disabled' } }],
    [
      'Cache breakpoint (`cache_control`)',
      block({ type: 'text', text: 'More', cache_control: { type: 'ephemeral' } }),
      block({ type: 'text', text: 'More' }),
    ],
    ['User (`metadata.user_id`)', { metadata: { user_id: MARK } }],
    ['Service tier', { service_tier: 'standard_only' }],
    ['Container', { container: `container_${MARK}` }],
    ['Context management', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
  ],
}
