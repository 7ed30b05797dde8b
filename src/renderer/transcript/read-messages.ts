// Anthropic's Messages API. Source: its API reference.
import {
  type JsonObject,
  messageOf,
  Numbered,
  objectOf,
  objectsOf,
  otherPart,
  partsOf,
  splitResults,
  type TranscriptMessage,
  type TranscriptPart,
  type TranscriptReader,
  textOf,
  textPart,
  writeJson,
} from './transcript.ts'

export const messagesReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...messageOf('system', readContent(body.system)),
      ...objectsOf(body.messages).flatMap(readMessage),
    ],
    tools: objectsOf(body.tools).map(({ name, type }) => textOf(name) || textOf(type)),
  }),
  response: (body) => messageOf('assistant', readContent(body.content)),
  assemble(events) {
    const blocks = new Numbered<Record<string, unknown>>()
    for (const { type, index, content_block: block, delta } of events) {
      if (type === 'content_block_start') blocks.set(index, { ...objectOf(block) })
      else if (type === 'content_block_delta') addDelta(blocks.get(index), objectOf(delta))
    }
    return { content: blocks.list() }
  },
}

/** Each kind of delta grows one member of its block. */
function addDelta(block: Record<string, unknown> | undefined, delta: JsonObject): void {
  if (block === undefined) return
  const grow = (member: string, text: unknown) => {
    block[member] = textOf(block[member]) + textOf(text)
  }
  if (delta.type === 'text_delta') grow('text', delta.text)
  else if (delta.type === 'thinking_delta') grow('thinking', delta.thinking)
  else if (delta.type === 'input_json_delta') grow('input', delta.partial_json)
}

function readMessage(message: JsonObject): TranscriptMessage[] {
  const parts = readContent(message.content)
  if (message.role === 'assistant') return messageOf('assistant', parts)
  if (message.role === 'system') return messageOf('system', parts)
  return splitResults(parts)
}

function readContent(content: unknown): TranscriptPart[] {
  return partsOf(content, readBlock)
}

function readBlock(block: JsonObject): TranscriptPart[] {
  const id = textOf(block.id)
  switch (block.type) {
    case 'text':
      return textPart(block.text)
    case 'thinking':
      return [{ type: 'reasoning', text: textOf(block.thinking) }]
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '' }]
    case 'image':
      return readImage(objectOf(block.source))
    case 'document':
      return [otherPart('document', block.title)]
    case 'tool_use':
    case 'server_tool_use':
      return [{ type: 'call', id, name: textOf(block.name), input: writeInput(block.input) }]
    case 'tool_result':
      return [readResult(block)]
    default:
      return [otherPart(block.type)]
  }
}

/** A stream starts with an empty object, and its deltas are text. */
function writeInput(input: unknown): string {
  return typeof input === 'string' && input === '' ? '{}' : writeJson(input)
}

function readImage(source: JsonObject): TranscriptPart[] {
  if (source.type === 'base64') {
    return [{ type: 'image', source: `data:${textOf(source.media_type)};base64,${textOf(source.data)}` }]
  }
  return source.type === 'url' ? [{ type: 'image', source: textOf(source.url) }] : [otherPart('image')]
}

function readResult(block: JsonObject): TranscriptPart {
  const parts = readContent(block.content)
  const texts = parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
  return {
    type: 'result',
    id: textOf(block.tool_use_id),
    name: '',
    text: texts.join('\n\n'),
    failed: block.is_error === true,
  }
}
