import type { JsonObject } from '../../../gateway/formats/json/json.ts'
import type { TestExchange } from '../../../gateway/upstream/testing/test-upstream.ts'
import { readList } from './json-lists.ts'
import { type Reply, type Situation, USAGE } from './scripted-model.ts'

const usage = {
  input_tokens: USAGE.input,
  input_tokens_details: { cached_tokens: USAGE.cached },
  output_tokens: USAGE.output,
  output_tokens_details: { reasoning_tokens: USAGE.reasoning },
  total_tokens: USAGE.input + USAGE.output,
}

export function readResponsesRequest(body: JsonObject): Situation {
  return {
    // Codex groups tools in namespaces.
    tools: readList(body.tools)
      .flatMap((tool) => (tool.type === 'namespace' ? readList(tool.tools) : [tool]))
      .filter(({ type }) => type === 'function')
      .map(({ name, parameters }) => ({ name: String(name), schema: parameters })),
    hasResult: readList(body.input).some(({ type }) => type === 'function_call_output'),
    stream: body.stream === true,
    model: String(body.model),
  }
}

function createItem({ text, call }: Reply, turn: number): JsonObject {
  if (call !== null) {
    const ids = { id: `fc_${turn}`, call_id: `call_${turn}` }
    return { type: 'function_call', ...ids, name: call.name, arguments: call.argsJson, status: 'completed' }
  }
  const part = { type: 'output_text', text, annotations: [] }
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] }
}

/** The events between the start and the end of the item. */
function listDeltas({ text, call }: Reply, turn: number): JsonObject[] {
  if (call !== null)
    return [{ type: 'response.function_call_arguments.delta', item_id: `fc_${turn}`, delta: call.argsJson }]
  const place = { item_id: 'msg_1', content_index: 0 }
  const part = { type: 'output_text', text, annotations: [] }
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...place, delta: text, logprobs: [] },
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
  ]
}

export function answerResponses(
  exchange: TestExchange,
  reply: Reply,
  { stream, model, turn = 1 }: Situation,
): void {
  const item = createItem(reply, turn)
  const begun = { id: 'resp_1', object: 'response', created_at: 1_760_000_000, model, output: [] }
  const response = { ...begun, status: 'completed', output: [item], usage }
  if (!stream) {
    exchange.reply(200, response)
    return
  }
  const events = [
    { type: 'response.created', response: { ...begun, status: 'in_progress' } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', ...(reply.call ? { arguments: '' } : { content: [] }) },
    },
    ...listDeltas(reply, turn).map((event) => ({ ...event, type: String(event.type), output_index: 0 })),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]
  exchange
    .begin()
    .events(...events.map((event, sequence_number) => ({ ...event, sequence_number })))
    .end()
}
