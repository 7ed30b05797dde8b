// Anthropic's Messages API. Source: its API reference.
import {
  getMessage,
  getText,
  type JsonObject,
  listParts,
  NumberedItems,
  otherPart,
  splitResults,
  type TranscriptMessage,
  type TranscriptPart,
  type TranscriptReader,
  textPart,
  toObject,
  toObjects,
  writeJson,
} from './transcript.ts'

export const messagesReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...getMessage('system', readContent(body.system)),
      ...toObjects(body.messages).flatMap(readMessage),
    ],
    tools: toObjects(body.tools).map(({ name, type }) => getText(name) || getText(type)),
  }),
  response: (body) => getMessage('assistant', readContent(body.content)),
  assemble(events) {
    const blocks = new NumberedItems<Record<string, unknown>>()
    for (const { type, index, content_block: block, delta } of events) {
      if (type === 'content_block_start') blocks.set(index, { ...toObject(block) })
      else if (type === 'content_block_delta') addDelta(blocks.get(index), toObject(delta))
    }
    return { content: blocks.list() }
  },
}

/** Each kind of delta grows one member of its block. */
function addDelta(block: Record<string, unknown> | undefined, delta: JsonObject): void {
  if (block === undefined) return
  const grow = (member: string, text: unknown) => {
    block[member] = getText(block[member]) + getText(text)
  }
  if (delta.type === 'text_delta') grow('text', delta.text)
  else if (delta.type === 'thinking_delta') grow('thinking', delta.thinking)
  else if (delta.type === 'input_json_delta') grow('input', delta.partial_json)
}

function readMessage(message: JsonObject): TranscriptMessage[] {
  const parts = readContent(message.content)
  if (message.role === 'assistant') return getMessage('assistant', parts)
  if (message.role === 'system') return getMessage('system', parts)
  return splitResults(parts)
}

function readContent(content: unknown): TranscriptPart[] {
  return listParts(content, readBlock)
}

function readBlock(block: JsonObject): TranscriptPart[] {
  const id = getText(block.id)
  switch (block.type) {
    case 'text':
      return textPart(block.text)
    case 'thinking':
      return [{ type: 'reasoning', text: getText(block.thinking) }]
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '' }]
    case 'image':
      return readImage(toObject(block.source))
    case 'document':
      return [otherPart('document', block.title)]
    case 'tool_use':
    case 'server_tool_use':
      return [{ type: 'call', id, name: getText(block.name), input: writeInput(block.input) }]
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
    return [{ type: 'image', source: `data:${getText(source.media_type)};base64,${getText(source.data)}` }]
  }
  return source.type === 'url' ? [{ type: 'image', source: getText(source.url) }] : [otherPart('image')]
}

function readResult(block: JsonObject): TranscriptPart {
  const parts = readContent(block.content)
  const texts = parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
  return {
    type: 'result',
    id: getText(block.tool_use_id),
    name: '',
    text: texts.join('\n\n'),
    failed: block.is_error === true,
  }
}
