// OpenAI's Responses API. Source: its API reference.
import {
  getMessage,
  getText,
  type JsonObject,
  listParts,
  NumberedItems,
  otherPart,
  type TranscriptMessage,
  type TranscriptPart,
  type TranscriptReader,
  textPart,
  toObject,
  toObjects,
  writeJson,
} from './transcript.ts'

export const responsesReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...getMessage('system', textPart(body.instructions)),
      ...(typeof body.input === 'string'
        ? getMessage('user', textPart(body.input))
        : toObjects(body.input).flatMap(readItem)),
    ],
    tools: toObjects(body.tools).map(({ name, type }) => getText(name) || getText(type)),
  }),
  // The items of one answer are one message, as in the other formats.
  response: (body) =>
    getMessage(
      'assistant',
      toObjects(body.output).flatMap((item) =>
        readItem({ role: 'assistant', ...item }).flatMap(({ parts }) => parts),
      ),
    ),
  assemble(events) {
    const whole = events.findLast(({ response }) => toObjects(toObject(response).output).length > 0)
    return whole ? toObject(whole.response) : { output: assembleItems(events) }
  },
}

/** The items of a stream that ended early. */
function assembleItems(events: readonly JsonObject[]): JsonObject[] {
  const items = new NumberedItems<Record<string, unknown>>()
  for (const event of events) {
    const delta = getText(event.delta)
    const item = items.get(event.output_index)
    if (event.type === 'response.output_item.added' || event.type === 'response.output_item.done') {
      items.set(event.output_index, { ...toObject(event.item) })
    } else if (item === undefined) {
    } else if (event.type === 'response.output_text.delta') {
      const [first] = toObjects(item.content)
      item.content = [{ type: 'output_text', text: getText(first?.text) + delta }]
    } else if (event.type === 'response.function_call_arguments.delta') {
      item.arguments = getText(item.arguments) + delta
    } else if (event.type === 'response.custom_tool_call_input.delta') {
      item.input = getText(item.input) + delta
    } else if (/^response\.reasoning(_summary)?_text\.delta$/.test(getText(event.type))) {
      const [first] = toObjects(item.summary)
      item.summary = [{ type: 'summary_text', text: getText(first?.text) + delta }]
    }
  }
  return items.list()
}

function readItem(item: JsonObject): TranscriptMessage[] {
  const type = getText(item.type) || 'message'
  const id = getText(item.call_id) || getText(item.id)
  switch (type) {
    case 'message': {
      const role = item.role === 'assistant' || item.role === 'user' ? item.role : 'system'
      return getMessage(role, readContent(item.content))
    }
    case 'reasoning': {
      const texts = [...toObjects(item.summary), ...toObjects(item.content)].map(({ text }) => getText(text))
      return getMessage('assistant', [{ type: 'reasoning', text: texts.join('\n\n') }])
    }
    case 'function_call':
    case 'custom_tool_call':
      return getMessage('assistant', [
        { type: 'call', id, name: getText(item.name), input: writeJson(item.arguments ?? item.input) },
      ])
    case 'function_call_output':
    case 'custom_tool_call_output':
      return getMessage('tool', [
        { type: 'result', id, name: '', text: readOutput(item.output), failed: false },
      ])
    case 'image_generation_call':
      return getMessage('assistant', [
        item.result
          ? { type: 'image', source: `data:image/png;base64,${getText(item.result)}` }
          : otherPart(type),
      ])
    default:
      return getMessage('assistant', [otherPart(type, toObject(item.action).query)])
  }
}

function readOutput(output: unknown): string {
  if (typeof output === 'string') return output
  return readContent(output)
    .map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
    .join('\n\n')
}

function readContent(content: unknown): TranscriptPart[] {
  return listParts(content, readPart)
}

function readPart(part: JsonObject): TranscriptPart[] {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textPart(part.text)
    case 'refusal':
      return textPart(part.refusal)
    case 'input_image': {
      const source = getText(part.image_url)
      return [source === '' ? otherPart('image', part.file_id) : { type: 'image', source }]
    }
    case 'input_file':
      return [otherPart('file', part.filename)]
    default:
      return [otherPart(part.type)]
  }
}
