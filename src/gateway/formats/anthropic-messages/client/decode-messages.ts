// The messages of a request as chat messages. Source: the types of Anthropic's SDK.
import type { ContentPart, Message, ToolCall } from '../../../../shared/formats/chat.ts'
import {
  type ContentBlock,
  isKnownBlock,
  isPartBlock,
  type KnownBlock,
  type MessageParam,
  type MessagesRequest,
  type OtherPart,
  type PartBlock,
  type ToolResultBlock,
} from '../../../../shared/formats/messages.ts'
import { invalidRequest } from '../../../platform/errors.ts'
import type { UnsupportedFeatures } from '../../chat/failure.ts'
import { simplifyParts } from '../../chat/message-content.ts'
import { decodeSignedReasoning, type SignedReasoning } from '../../chat/reasoning.ts'
import { asList, asObject, isObject, type JsonObject, stringOr } from '../../json/json.ts'
import { readThinkingBlock } from '../answer.ts'
import { signCall } from './answer.ts'

function readBlocks({ content }: MessageParam): readonly ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content ?? []
}

/** The blocks that chat messages have a place for; others are refused. */
function knownBlocks(message: MessageParam, path: string, refused: UnsupportedFeatures): KnownBlock[] {
  return readBlocks(message).flatMap((block, at) => {
    if (isKnownBlock(block)) return [block]
    refused.add(`content of the type "${block.type}"`, `${path}.content[${at}].type`)
    return []
  })
}

function misplaced(type: string, role: string, path: string): Error {
  return invalidRequest(`A message of the role "${role}" cannot have a block of the type "${type}".`, {
    param: path,
  })
}

interface DecodedResult {
  message: Message
  /** Tool messages of the chat format are text, so these follow in a user message. */
  media: ContentPart[]
}

function decodeResult(block: ToolResultBlock, path: string, refused: UnsupportedFeatures): DecodedResult {
  const { content, tool_use_id: id, is_error: isError } = block
  const parts =
    typeof content === 'string'
      ? [{ type: 'text' as const, text: content }]
      : decodeParts(content ?? [], `${path}.content`, refused)
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const media = parts.filter((part) => part.type !== 'text')
  const text = texts.join('\n') || (media.length > 0 ? 'The result is in the next message.' : '')
  return {
    message: {
      role: 'tool',
      tool_call_id: id,
      content: isError ? `Error: ${text}` : text,
      ...cacheControl(block),
    },
    media: media.length > 0 ? [{ type: 'text', text: `The result of the tool call ${id}:` }, ...media] : [],
  }
}

/** Results of tool calls come first, as in Anthropic's format; the chat format has a message for each. */
function decodeUser(message: MessageParam, path: string, refused: UnsupportedFeatures): Message[] {
  const results: DecodedResult[] = []
  const parts: ContentPart[] = []
  for (const [at, block] of knownBlocks(message, path, refused).entries()) {
    const partPath = `${path}.content[${at}]`
    switch (block.type) {
      case 'tool_result':
        results.push(decodeResult(block, partPath, refused))
        break
      case 'thinking':
      case 'redacted_thinking':
      case 'tool_use':
        throw misplaced(block.type, 'user', partPath)
      default:
        parts.push(...decodeParts([block], `${path}.content`, refused))
    }
  }
  const content = [...results.flatMap(({ media }) => media), ...parts]
  return [
    ...results.map((result) => result.message),
    ...(content.length > 0 ? [{ role: 'user' as const, content: simplifyParts(content) }] : []),
  ]
}

interface Reasoning {
  /** Reasoning of vendors that do not sign it. */
  text: string
  signed: SignedReasoning[]
}

function decodeThinking(block: KnownBlock, reasoning: Reasoning): void {
  if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return
  const signature = block.type === 'thinking' ? (block.signature ?? '') : block.data
  const ours = decodeSignedReasoning(signature)
  const thinking = ours ? null : readThinkingBlock(block)
  if (ours) reasoning.signed.push(ours)
  else if (thinking) reasoning.signed.push({ format: 'anthropic-messages', data: thinking })
  else if (block.type === 'thinking') reasoning.text += block.thinking
}

/** Gemini's other signatures belong to texts. */
function placeSigned({ format }: SignedReasoning, callId: string): { call_id?: string } {
  return format === 'gemini-generate' ? {} : { call_id: callId }
}

/** The reasoning directly before a tool call belongs to it; other reasoning precedes the whole message. */
function decodeAssistant(message: MessageParam, path: string, refused: UnsupportedFeatures): Message[] {
  const texts: ContentPart[] = []
  const calls: ToolCall[] = []
  const placed: SignedReasoning[] = []
  const reasoning: Reasoning = { text: '', signed: [] }
  const take = (): SignedReasoning[] => reasoning.signed.splice(0)
  for (const [at, block] of knownBlocks(message, path, refused).entries()) {
    switch (block.type) {
      case 'thinking':
      case 'redacted_thinking':
        decodeThinking(block, reasoning)
        break
      case 'text':
        placed.push(...take())
        if (block.text !== '') texts.push({ type: 'text', text: block.text, ...cacheControl(block) })
        break
      case 'tool_use': {
        const { id, name, input } = block
        const called = { name, arguments: JSON.stringify(input ?? {}) }
        const call = { id, type: 'function', function: called, ...cacheControl(block) }
        const signed = signCall(call, take())
        calls.push(signed.call)
        placed.push(...signed.others.map((entry) => ({ ...entry, ...placeSigned(entry, id) })))
        break
      }
      default:
        throw misplaced(block.type, 'assistant', `${path}.content[${at}]`)
    }
  }
  placed.push(...take())
  if (texts.length === 0 && calls.length === 0) return []
  return [
    {
      role: 'assistant',
      content: texts.length === 0 ? null : simplifyParts(texts),
      ...(reasoning.text !== '' && { reasoning_content: reasoning.text }),
      ...(placed.length > 0 && { signed_reasoning: placed }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ]
}

function decodeSystem(message: MessageParam, path: string, refused: UnsupportedFeatures): Message[] {
  const parts = knownBlocks(message, path, refused).flatMap((block, at) => {
    if (block.type !== 'text') throw misplaced(block.type, 'system', `${path}.content[${at}]`)
    return decodeParts([block], `${path}.content`, refused)
  })
  return parts.length === 0 ? [] : [{ role: 'system', content: simplifyParts(parts) }]
}

const DECODERS = { user: decodeUser, assistant: decodeAssistant, system: decodeSystem }

/** The top-level `system`, whose blocks without cache control are joined. */
function decodeInstructions(system: MessagesRequest['system']): Message[] {
  if (!system || system.length === 0) return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  const parts = system.map(
    ({ text, ...rest }): ContentPart => ({ type: 'text', text, ...cacheControl(rest) }),
  )
  const isMarked = system.some((block) => block.cache_control)
  return [{ role: 'system', content: isMarked ? parts : system.map(({ text }) => text).join('\n') }]
}

export function decodeConversation(
  { messages, system }: Pick<MessagesRequest, 'messages' | 'system'>,
  refused: UnsupportedFeatures,
): Message[] {
  return [
    ...decodeInstructions(system),
    ...messages.flatMap((message, at) => DECODERS[message.role](message, `messages[${at}]`, refused)),
  ]
}

// Content of users and tools, as chat content parts.

/** Chat parts keep the client's cache control: some vendors of the chat format support it. */
export function cacheControl({ cache_control: mark }: { cache_control?: unknown }): {
  cache_control?: JsonObject
} {
  return isObject(mark) ? { cache_control: mark } : {}
}

function dataUrl({ media_type: type, data }: JsonObject): string {
  return `data:${stringOr(type, 'application/octet-stream')};base64,${stringOr(data, '')}`
}

type Document = Extract<PartBlock, { type: 'document' }>

/** The document's title and context, followed by its text. */
function withHeading({ title, context }: Document, text: string): string {
  return [title, context, text].filter((line) => typeof line === 'string' && line !== '').join('\n')
}

function textPart(text: string, block: { cache_control?: unknown }): ContentPart {
  return { type: 'text', text, ...cacheControl(block) }
}

function decodeImage(
  block: Extract<PartBlock, { type: 'image' }>,
  path: string,
  refused: UnsupportedFeatures,
): ContentPart[] {
  const { source } = block
  if (source.type !== 'base64' && source.type !== 'url') {
    const advice = 'Send the image as base64.'
    refused.add(`images from the source "${source.type}"`, `${path}.source.type`, advice)
    return []
  }
  const url = source.type === 'url' ? stringOr(source.url, '') : dataUrl(source)
  if (url === '') {
    refused.refuse(`"${path}.source.url" is empty. Give the URL of an image.`, `${path}.source.url`)
    return []
  }
  return [{ type: 'image_url', image_url: { url }, ...cacheControl(block) }]
}

function decodeDocument(block: Document, path: string, refused: UnsupportedFeatures): ContentPart[] {
  const { source, title } = block
  if (isObject(block.citations) && block.citations.enabled === true)
    refused.add('citations of documents', `${path}.citations`)
  switch (source.type) {
    case 'text':
      return [textPart(withHeading(block, stringOr(source.data, '')), block)]
    case 'base64': {
      const file = { filename: title || 'document.pdf', file_data: dataUrl(source) }
      return [{ type: 'file', file, ...cacheControl(block) }]
    }
    case 'content': {
      const { content } = source
      if (typeof content === 'string') return [textPart(withHeading(block, content), block)]
      const heading = withHeading(block, '')
      return [...(heading === '' ? [] : [textPart(heading, {})]), ...decodeUnchecked(content, path, refused)]
    }
    default: {
      const advice = 'Send the document as base64.'
      refused.add(`documents from the source "${source.type}"`, `${path}.source.type`, advice)
      return []
    }
  }
}

/** The parts of a document's content, which the schema of requests leaves open. */
function decodeUnchecked(content: unknown, path: string, refused: UnsupportedFeatures): ContentPart[] {
  return asList(content).flatMap((part): ContentPart[] => {
    if (!isObject(part)) return []
    if (part.type === 'text') return [textPart(stringOr(part.text, ''), {})]
    const source = asObject(part.source)
    if (part.type !== 'image') return []
    return decodeImage(
      { type: 'image', source: { ...source, type: stringOr(source.type, '') } },
      path,
      refused,
    )
  })
}

function decodePart(block: PartBlock, path: string, refused: UnsupportedFeatures): ContentPart[] {
  switch (block.type) {
    case 'text':
      return [textPart(block.text, block)]
    case 'image':
      return decodeImage(block, path, refused)
    case 'document':
      return decodeDocument(block, path, refused)
    case 'search_result': {
      const texts = block.content.map(({ text }) => text)
      return [textPart([block.title, block.source, ...texts].join('\n'), block)]
    }
  }
}

/** `path`: of the blocks in the client's request, such as `messages[2].content`. */
function decodeParts(
  blocks: readonly (PartBlock | OtherPart)[],
  path: string,
  refused: UnsupportedFeatures,
): ContentPart[] {
  return blocks.flatMap((block, at) => {
    const blockPath = `${path}[${at}]`
    if (isPartBlock(block)) return decodePart(block, blockPath, refused)
    refused.add(`content of the type "${block.type}"`, `${blockPath}.type`)
    return []
  })
}
