// One event, block and delta of every kind in the types of Anthropic's SDK.
import type {
  BetaContentBlock,
  BetaRawContentBlockDelta,
  BetaRawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/beta/messages'

const document = {
  type: 'document' as const,
  citations: null,
  source: { type: 'text' as const, media_type: 'text/plain' as const, data: 'x' },
  title: null,
}
const result = { content: [], return_code: 0, stderr: '', stdout: '2' }
const caller = { type: 'direct' as const }

const blocks: { [Type in BetaContentBlock['type']]: Extract<BetaContentBlock, { type: Type }> } = {
  text: { type: 'text', text: '', citations: null },
  thinking: { type: 'thinking', thinking: '', signature: '' },
  redacted_thinking: { type: 'redacted_thinking', data: 'Emw' },
  tool_use: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {}, caller },
  server_tool_use: { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {}, caller },
  web_search_tool_result: {
    type: 'web_search_tool_result',
    tool_use_id: 'srv_1',
    content: [{ type: 'web_search_result', encrypted_content: 'E', page_age: null, title: 'T', url: 'u' }],
  },
  web_fetch_tool_result: {
    type: 'web_fetch_tool_result',
    tool_use_id: 'srv_1',
    content: { type: 'web_fetch_result', content: document, retrieved_at: null, url: 'u' },
  },
  advisor_tool_result: {
    type: 'advisor_tool_result',
    tool_use_id: 'srv_1',
    content: { type: 'advisor_result', stop_reason: null, text: 'x' },
  },
  code_execution_tool_result: {
    type: 'code_execution_tool_result',
    tool_use_id: 'srv_1',
    content: { type: 'code_execution_result', ...result },
  },
  bash_code_execution_tool_result: {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srv_1',
    content: { type: 'bash_code_execution_result', ...result },
  },
  text_editor_code_execution_tool_result: {
    type: 'text_editor_code_execution_tool_result',
    tool_use_id: 'srv_1',
    content: {
      type: 'text_editor_code_execution_view_result',
      content: 'x',
      file_type: 'text',
      num_lines: 1,
      start_line: 1,
      total_lines: 1,
    },
  },
  tool_search_tool_result: {
    type: 'tool_search_tool_result',
    tool_use_id: 'srv_1',
    content: { type: 'tool_search_tool_search_result', tool_references: [] },
  },
  mcp_tool_use: { type: 'mcp_tool_use', id: 'mcp_1', name: 'f', server_name: 's', input: {} },
  mcp_tool_result: { type: 'mcp_tool_result', tool_use_id: 'mcp_1', content: 'x', is_error: false },
  mcp_tool_listing: { type: 'mcp_tool_listing', mcp_server_name: 's', tools: [] },
  container_upload: { type: 'container_upload', file_id: 'file_1' },
  compaction: { type: 'compaction', content: null, encrypted_content: null },
  fallback: {
    type: 'fallback',
    from: { model: 'claude-opus-5' },
    to: { model: 'claude-sonnet-5' },
    trigger: { type: 'refusal', category: null },
  },
}

/** The deltas with the type of their block. */
const deltas: {
  [Type in BetaRawContentBlockDelta['type']]: [
    BetaContentBlock['type'],
    Extract<BetaRawContentBlockDelta, { type: Type }>,
  ]
} = {
  text_delta: ['text', { type: 'text_delta', text: 'Grüße 東京 🚆 \u2028' }],
  citations_delta: [
    'text',
    {
      type: 'citations_delta',
      citation: {
        type: 'char_location',
        cited_text: 'x',
        document_index: 0,
        document_title: null,
        end_char_index: 1,
        file_id: null,
        start_char_index: 0,
      },
    },
  ],
  thinking_delta: ['thinking', { type: 'thinking_delta', thinking: 'Hm.', estimated_tokens: null }],
  signature_delta: ['thinking', { type: 'signature_delta', signature: 'EqQB' }],
  input_json_delta: ['tool_use', { type: 'input_json_delta', partial_json: '{"x":1.50}' }],
  compaction_delta: ['compaction', { type: 'compaction_delta', content: 'Sum.', encrypted_content: null }],
}

const blockEvents = Object.values(blocks).flatMap((block, index): BetaRawMessageStreamEvent[] => [
  { type: 'content_block_start', index, content_block: block },
  ...Object.values(deltas).flatMap(([type, delta]): BetaRawMessageStreamEvent[] =>
    type === block.type ? [{ type: 'content_block_delta', index, delta }] : [],
  ),
  { type: 'content_block_stop', index },
])

const counts = { cache_creation_input_tokens: 0, cache_read_input_tokens: 400, server_tool_use: null }
const others = { fallback_credit: null, iterations: null, output_tokens_details: null }
const usage = {
  ...counts,
  ...others,
  input_tokens: 600,
  output_tokens: 1,
  cache_creation: null,
  inference_geo: null,
  service_tier: 'standard' as const,
  speed: null,
}
const ending = { container: null, stop_details: null, stop_sequence: null }

const events: readonly BetaRawMessageStreamEvent[] = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5',
      content: [],
      ...ending,
      stop_reason: null,
      context_management: null,
      diagnostics: null,
      usage,
    },
  },
  ...blockEvents,
  {
    type: 'message_delta',
    delta: { ...ending, stop_reason: 'tool_use' },
    context_management: { applied_edits: [] },
    usage: { ...counts, ...others, input_tokens: 600, output_tokens: 200 },
  },
  { type: 'message_stop' },
]

/** A stream as Anthropic sends it: with pings, and white space in its JSON. */
export const everyEvent: string = [events[0], { type: 'ping' }, ...events.slice(1)]
  .map((event) => `event: ${event?.type}\ndata: ${JSON.stringify(event).replace('{', '{ ')}\n\n`)
  .join('')

/** A message with every kind of block, with white space and digits that no serializer would write. */
export const everyBlock: string = `{ "id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5",\n"content":${JSON.stringify(Object.values(blocks))},"stop_reason":"end_turn","x":1.50, "usage": {"input_tokens":600,"cache_read_input_tokens":400,"output_tokens":200} }\n`
