// Content whose tokens the bytes of a request do not bound: images, documents, and what the provider adds.
// Only the places are read where a format has content parts; whatever looks like a part in another place is text.
// Sources: the API references of OpenAI (chat completions, responses), Anthropic (messages) and Google (`Content`, `Part`).

import type { ApiFormat } from '../../../shared/api/providers.ts'
import { splitWords, wordSet } from '../../../shared/values/text.ts'
import { asObject, isGiven, isObject, type JsonObject, listObjects } from '../json/json.ts'

export interface SentContent {
  images: {
    count: number
    /** The length of their base64 data in the body. */
    bytes: number
  }
  /** The length of the data of documents, videos and sounds in the body. */
  dataBytes: number
  /** Whether it has documents or videos, whose pages and frames are billed. */
  unsized: boolean
  /** Whether it refers to content that only the provider can read (stored files, items, addresses), or lets it search. */
  external: boolean
}

export const NO_CONTENT: SentContent = {
  images: { count: 0, bytes: 0 },
  dataBytes: 0,
  unsized: false,
  external: false,
}

/** Reads the content of a body in its format, as a client or this gateway wrote it. */
export function readSentContent(format: ApiFormat, body: JsonObject): SentContent {
  const found = new ContentCounter()
  READERS[format](body, found)
  const { count, bytes, dataBytes, unsized, external } = found
  return { images: { count, bytes }, dataBytes, unsized, external }
}

const IMAGE_DATA = /^data:image\/[\w.+-]{1,40};base64,/i
/** Both alphabets, because Google accepts both. */
const BASE64 = /^[\w+/-]*={0,2}$/

class ContentCounter {
  count = 0
  bytes = 0
  dataBytes = 0
  unsized = false
  external = false

  /** Data that is not base64 counts as text. */
  image(base64: unknown): void {
    this.count += 1
    if (typeof base64 === 'string' && BASE64.test(base64)) this.bytes += base64.length
  }

  /** An image by its URL. The data of a URL can also be a document. */
  link(url: unknown): void {
    if (typeof url !== 'string') {
      this.external = true
      return
    }
    const head = IMAGE_DATA.exec(url)?.[0]
    if (head !== undefined) this.image(url.slice(head.length))
    else if (/^https?:/i.test(url)) this.count += 1
    else if (/^data:/i.test(url)) this.file(url)
    // The name of a stored file.
    else this.external = true
  }

  /** A document or a video with its data, or a reference to one. */
  file(data: unknown): void {
    this.sound(data)
    this.unsized = true
  }

  /** A sound, whose bytes bound its tokens, or a reference to one. */
  sound(data: unknown): void {
    if (typeof data === 'string' && data !== '') this.dataBytes += data.length
    else this.external = true
  }
}

type Reader = (body: JsonObject, found: ContentCounter) => void

const READERS: Readonly<Record<ApiFormat, Reader>> = {
  'openai-chat': readChat,
  'openai-responses': readResponse,
  'anthropic-messages': readMessages,
  'gemini-generate': readGenerate,
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/**
 * Members of requests in OpenAI's formats that make a provider search: OpenAI and Perplexity, OpenRouter, xAI, Azure OpenAI
 * ("On your data"), Alibaba Cloud, Groq.
 */
const SEARCHES = splitWords(`
  web_search_options plugins search_parameters data_sources enable_search compound_custom search_settings`)

function searches(body: JsonObject): boolean {
  return SEARCHES.some((name) => isGiven(body[name]) && body[name] !== false)
}

const OWN_TOOLS: readonly unknown[] = ['function', 'custom']

function readChat(body: JsonObject, found: ContentCounter): void {
  if (searches(body) || listObjects(body.tools).some(({ type }) => !OWN_TOOLS.includes(type)))
    found.external = true
  if (!Array.isArray(body.messages)) return
  for (const message of body.messages) {
    if (!isObject(message)) continue
    const { content, audio, images } = message
    // An earlier answer in speech, which OpenAI stores.
    if (isObject(audio)) found.external = true
    if (Array.isArray(content)) for (const part of content) readChatPart(part, found)
    else if (isFileName(content)) found.external = true
    // Images of an earlier answer. It is not documented whether the model sees them, so their data also counts as text.
    found.count += listObjects(images).length
  }
}

/** Alibaba Cloud's models for documents read the files that a message consists of. */
function isFileName(text: unknown): boolean {
  return typeof text === 'string' && text.trimStart().startsWith('fileid://')
}

function readChatPart(part: unknown, found: ContentCounter): void {
  if (!isObject(part)) return
  switch (part.type) {
    case 'text':
      if (isFileName(part.text)) found.external = true
      return
    case 'refusal':
    case 'thinking':
      return
    case 'image_url':
      found.link(isObject(part.image_url) ? part.image_url.url : part.image_url)
      return
    case 'input_audio':
      found.sound(isObject(part.input_audio) ? part.input_audio.data : null)
      return
    case 'file': {
      const file = asObject(part.file)
      found.file(isGiven(file.file_id) ? null : file.file_data)
      return
    }
    default:
      found.external = true
  }
}

/** Items of a response's input that have their content themselves. */
const WHOLE_ITEMS = wordSet(`
  additional_tools apply_patch_call apply_patch_call_output compaction computer_call computer_call_output
  configuration_update custom_tool_call custom_tool_call_output function_call function_call_output
  local_shell_call local_shell_call_output mcp_approval_request mcp_approval_response mcp_call
  mcp_list_tools message shell_call shell_call_output tool_search_call tool_search_output`)
/** Members of an item that are no content. */
const LABELS: ReadonlySet<string> = new Set(['id', 'phase', 'role', 'status', 'type'])
/** Items whose `output` can be a list of parts. */
const OUTPUTS: ReadonlySet<string> = new Set([
  'computer_call_output',
  'custom_tool_call_output',
  'function_call_output',
])

function readResponse(body: JsonObject, found: ContentCounter): void {
  if (searches(body)) found.external = true
  for (const item of listObjects(body.input)) {
    const type = typeof item.type === 'string' ? item.type : isText(item.role) ? 'message' : 'item_reference'
    if (type === 'image_generation_call' && isText(item.result)) found.image(item.result)
    else if (isReference(item, type)) found.external = true
    readResponseParts(item.content, found)
    if (OUTPUTS.has(type)) readResponseParts(Array.isArray(item.output) ? item.output : [item.output], found)
  }
}

/** Whether the provider looks for an item's content among what it stores. */
function isReference(item: JsonObject, type: string): boolean {
  if (type === 'reasoning')
    return isText(item.id) && !isText(item.encrypted_content) && !isFilled(item.content)
  if (!WHOLE_ITEMS.has(type)) return true
  return (
    isText(item.id) && Object.entries(item).every(([name, value]) => LABELS.has(name) || !isFilled(value))
  )
}

function isFilled(value: unknown): boolean {
  return isGiven(value) && value !== '' && !(Array.isArray(value) && value.length === 0)
}

function readResponseParts(parts: unknown, found: ContentCounter): void {
  for (const part of listObjects(parts)) {
    switch (part.type) {
      case 'input_text':
      case 'output_text':
      case 'text':
      case 'summary_text':
      case 'reasoning_text':
      case 'refusal':
        break
      case 'input_image':
      case 'computer_screenshot':
        found.link(part.image_url)
        break
      case 'input_file':
        found.file(isGiven(part.file_id) || isGiven(part.file_url) ? null : part.file_data)
        break
      case 'input_audio':
        found.sound(isObject(part.input_audio) ? part.input_audio.data : null)
        break
      default:
        found.external = true
    }
  }
}

/** Blocks of Anthropic that are text, or keep their text in the body, encrypted or not. */
const TEXT_BLOCKS: ReadonlySet<unknown> = wordSet(`
  compaction mcp_tool_use redacted_thinking search_result server_tool_use text thinking tool_reference
  tool_use web_search_tool_result`)

function readMessages(body: JsonObject, found: ContentCounter): void {
  const { context_management: management } = body
  // A compaction reads the whole prompt in a separate call.
  if (isObject(management) && listObjects(management.edits).some(({ type }) => /^compact/.test(String(type))))
    found.external = true
  for (const { content } of listObjects(body.messages)) readBlocks(content, found)
}

function readBlocks(blocks: unknown, found: ContentCounter): void {
  for (const block of listObjects(blocks)) {
    const { type } = block
    const source = asObject(block.source)
    if (TEXT_BLOCKS.has(type)) continue
    if (type === 'tool_result' || type === 'mcp_tool_result') readBlocks(block.content, found)
    else if (type === 'image') readImageSource(source, found)
    else if (type === 'document') readDocumentSource(source, found)
    else found.external = true
  }
}

function readImageSource({ type, data, url }: JsonObject, found: ContentCounter): void {
  if (type === 'base64') found.image(data)
  else if (type === 'url') found.link(url)
  else found.external = true
}

function readDocumentSource({ type, data, content }: JsonObject, found: ContentCounter): void {
  if (type === 'content') readBlocks(content, found)
  else if (type !== 'text') found.file(type === 'base64' ? data : null)
}

/** Google accepts each name also in snake_case, and an object instead of a list of one. */
function readMember(object: JsonObject, name: string): unknown {
  return object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
}

function asObjects(value: unknown): JsonObject[] {
  return isObject(value) ? [value] : listObjects(value)
}

const TEXT_MEMBERS = wordSet(`
  code_execution_result executable_code function_call media_processing media_resolution part_metadata
  speech_metadata text thought thought_signature video_metadata`)
/** Media whose tokens their bytes bound. */
const SIZED_MEDIA = /^(text\/|audio\/(wave?|x-wav|mp3|mpeg)$)/i

function readGenerate(body: JsonObject, found: ContentCounter): void {
  for (const content of [...asObjects(readMember(body, 'systemInstruction')), ...asObjects(body.contents)])
    readParts(content.parts, found)
}

function readParts(parts: unknown, found: ContentCounter): void {
  for (const part of asObjects(parts))
    for (const [name, value] of Object.entries(part)) {
      const member = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      if (TEXT_MEMBERS.has(member) || !isGiven(value)) continue
      if (member === 'inline_data' && isObject(value)) readInlineData(value, found)
      else if (member === 'file_data' && isObject(value)) readFileData(value, found)
      else if (member === 'function_response' && isObject(value)) readParts(value.parts, found)
      else found.external = true
    }
}

function readInlineData(inline: JsonObject, found: ContentCounter): void {
  const type = String(readMember(inline, 'mimeType'))
  if (/^image\//i.test(type)) found.image(inline.data)
  else if (SIZED_MEDIA.test(type)) found.sound(inline.data)
  else found.file(inline.data)
}

/** Only an address that ends like an image's is one: others can be stored files, videos and web pages. */
function readFileData(file: JsonObject, found: ContentCounter): void {
  const [address = ''] = String(readMember(file, 'fileUri')).split(/[?#]/, 1)
  const type = String(readMember(file, 'mimeType'))
  if (/^https?:.*\.(gif|heic|jpe?g|png|webp)$/i.test(address) && /^image\//i.test(type)) found.count += 1
  else found.external = true
}
