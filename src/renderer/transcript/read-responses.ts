// OpenAI's Responses API. Source: its API reference.
import {
  type JsonObject,
  messageOf,
  Numbered,
  objectOf,
  objectsOf,
  otherPart,
  partsOf,
  type TranscriptMessage,
  type TranscriptPart,
  type TranscriptReader,
  textOf,
  textPart,
  writeJson,
} from './transcript.ts'

export const responsesReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...messageOf('system', textPart(body.instructions)),
      ...(typeof body.input === 'string'
        ? messageOf('user', textPart(body.input))
        : objectsOf(body.input).flatMap(readItem)),
    ],
    tools: objectsOf(body.tools).map(({ name, type }) => textOf(name) || textOf(type)),
  }),
  // The items of one answer are one message, as in the other formats.
  response: (body) =>
    messageOf(
      'assistant',
      objectsOf(body.output).flatMap((item) =>
        readItem({ role: 'assistant', ...item }).flatMap(({ parts }) => parts),
      ),
    ),
  assemble(events) {
    const whole = events.findLast(({ response }) => objectsOf(objectOf(response).output).length > 0)
    return whole ? objectOf(whole.response) : { output: assembleItems(events) }
  },
}

/** The items of a stream that ended early. */
function assembleItems(events: readonly JsonObject[]): JsonObject[] {
  const items = new Numbered<Record<string, unknown>>()
  for (const event of events) {
    const delta = textOf(event.delta)
    const item = items.get(event.output_index)
    if (event.type === 'response.output_item.added' || event.type === 'response.output_item.done') {
      items.set(event.output_index, { ...objectOf(event.item) })
    } else if (item === undefined) {
    } else if (event.type === 'response.output_text.delta') {
      const [first] = objectsOf(item.content)
      item.content = [{ type: 'output_text', text: textOf(first?.text) + delta }]
    } else if (event.type === 'response.function_call_arguments.delta') {
      item.arguments = textOf(item.arguments) + delta
    } else if (event.type === 'response.custom_tool_call_input.delta') {
      item.input = textOf(item.input) + delta
    } else if (/^response\.reasoning(_summary)?_text\.delta$/.test(textOf(event.type))) {
      const [first] = objectsOf(item.summary)
      item.summary = [{ type: 'summary_text', text: textOf(first?.text) + delta }]
    }
  }
  return items.list()
}

function readItem(item: JsonObject): TranscriptMessage[] {
  const type = textOf(item.type) || 'message'
  const id = textOf(item.call_id) || textOf(item.id)
  switch (type) {
    case 'message': {
      const role = item.role === 'assistant' || item.role === 'user' ? item.role : 'system'
      return messageOf(role, readContent(item.content))
    }
    case 'reasoning': {
      const texts = [...objectsOf(item.summary), ...objectsOf(item.content)].map(({ text }) => textOf(text))
      return messageOf('assistant', [{ type: 'reasoning', text: texts.join('\n\n') }])
    }
    case 'function_call':
    case 'custom_tool_call':
      return messageOf('assistant', [
        { type: 'call', id, name: textOf(item.name), input: writeJson(item.arguments ?? item.input) },
      ])
    case 'function_call_output':
    case 'custom_tool_call_output':
      return messageOf('tool', [
        { type: 'result', id, name: '', text: readOutput(item.output), failed: false },
      ])
    case 'image_generation_call':
      return messageOf('assistant', [
        item.result
          ? { type: 'image', source: `data:image/png;base64,${textOf(item.result)}` }
          : otherPart(type),
      ])
    default:
      return messageOf('assistant', [otherPart(type, objectOf(item.action).query)])
  }
}

function readOutput(output: unknown): string {
  if (typeof output === 'string') return output
  return readContent(output)
    .map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
    .join('\n\n')
}

function readContent(content: unknown): TranscriptPart[] {
  return partsOf(content, readPart)
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
      const source = textOf(part.image_url)
      return [source === '' ? otherPart('image', part.file_id) : { type: 'image', source }]
    }
    case 'input_file':
      return [otherPart('file', part.filename)]
    default:
      return [otherPart(part.type)]
  }
}
