// The events with which vendors stream an answer of one text, in the API formats that name their events.

/** An event whose name is its type. */
export interface NamedEvent {
  type: string
  [member: string]: unknown
}

interface MessageUsage {
  input_tokens: number
  output_tokens: number
}

/** `startTokens`: those of the prompt that the first event reports. */
export function createMessageEvents(
  text: string,
  usage: MessageUsage,
  startTokens = usage.input_tokens,
): NamedEvent[] {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] }
  return [
    {
      type: 'message_start',
      message: { ...message, usage: { input_tokens: startTokens, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
}

/** `hidden`: items before the text. */
export function createResponseEvents(
  id: string,
  text: string,
  usage: object,
  hidden: readonly object[] = [],
): NamedEvent[] {
  const content = [{ type: 'output_text', text, annotations: [] }]
  const item = { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
  const response = { id, object: 'response', created_at: 1, model: 'turns', output: [] }
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    ...hidden.map((each) => ({ type: 'response.output_item.done', output_index: 0, item: each })),
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.output_text.delta', item_id: item.id, output_index: 0, delta: text },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
  ].map((event, at) => ({ ...event, sequence_number: at }))
}
