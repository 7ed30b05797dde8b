import type { JsonObject } from '../../../gateway/formats/json/json.ts'
import type { TestExchange } from '../../../gateway/upstream/testing/test-upstream.ts'
import { readList } from './json-lists.ts'
import { type Reply, type Situation, USAGE } from './scripted-model.ts'

const inputUsage = {
  input_tokens: USAGE.input - USAGE.cached,
  cache_read_input_tokens: USAGE.cached,
  cache_creation_input_tokens: 0,
}
const outputUsage = {
  output_tokens: USAGE.output,
  output_tokens_details: { thinking_tokens: USAGE.reasoning },
}

export function readMessagesRequest(body: JsonObject): Situation {
  return {
    tools: readList(body.tools).map(({ name, input_schema }) => ({
      name: String(name),
      schema: input_schema,
    })),
    hasResult: readList(body.messages).some(({ content }) =>
      readList(content).some(({ type }) => type === 'tool_result'),
    ),
    stream: body.stream === true,
    model: String(body.model),
  }
}

export function answerMessages(
  exchange: TestExchange,
  { text, call }: Reply,
  { stream, model, turn = 1 }: Situation,
  input: JsonObject = inputUsage,
): void {
  const block =
    call === null
      ? { type: 'text', text }
      : { type: 'tool_use', id: `toolu_${turn}`, name: call.name, input: call.args }
  const stop = { stop_reason: call === null ? 'end_turn' : 'tool_use', stop_sequence: null }
  const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model }
  if (!stream) {
    exchange.reply(200, {
      ...message,
      content: [block],
      ...stop,
      usage: { ...input, ...outputUsage },
    })
    return
  }
  const [empty, delta] =
    call === null
      ? [
          { ...block, text: '' },
          { type: 'text_delta', text },
        ]
      : [
          { ...block, input: {} },
          { type: 'input_json_delta', partial_json: call.argsJson },
        ]
  const events = [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...input, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: empty },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: stop, usage: { ...input, ...outputUsage } },
    { type: 'message_stop' },
  ]
  exchange
    .begin()
    .events(...events)
    .end()
}
