// What users and tools give the model to read, as chat content parts.
import type { ContentPart } from '../../../../shared/chat.ts'
import { isPartBlock, type OtherPart, type PartBlock } from '../../../../shared/messages.ts'
import type { Untranslatable } from '../../chat/untranslatable.ts'
import { asList, asObject, isObject, type JsonObject, stringOr } from '../../json/json.ts'

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

/** What a client states about a document, before its text. */
function withHeading({ title, context }: Document, text: string): string {
  return [title, context, text].filter((line) => typeof line === 'string' && line !== '').join('\n')
}

function textPart(text: string, block: { cache_control?: unknown }): ContentPart {
  return { type: 'text', text, ...cacheControl(block) }
}

function decodeImage(
  block: Extract<PartBlock, { type: 'image' }>,
  path: string,
  refused: Untranslatable,
): ContentPart[] {
  const { source } = block
  if (source.type !== 'base64' && source.type !== 'url') {
    const details = { advice: 'Send the image as base64.' }
    refused.add(`images from the source "${source.type}"`, `${path}.source.type`, details)
    return []
  }
  const url = source.type === 'url' ? stringOr(source.url, '') : dataUrl(source)
  if (url === '') {
    refused.refuse(`"${path}.source.url" is empty. Give the URL of an image.`, `${path}.source.url`)
    return []
  }
  return [{ type: 'image_url', image_url: { url }, ...cacheControl(block) }]
}

function decodeDocument(block: Document, path: string, refused: Untranslatable): ContentPart[] {
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
      const details = { advice: 'Send the document as base64.' }
      refused.add(`documents from the source "${source.type}"`, `${path}.source.type`, details)
      return []
    }
  }
}

/** The parts of a document's content, which the schema of requests leaves open. */
function decodeUnchecked(content: unknown, path: string, refused: Untranslatable): ContentPart[] {
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

function decodePart(block: PartBlock, path: string, refused: Untranslatable): ContentPart[] {
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
export function decodeParts(
  blocks: readonly (PartBlock | OtherPart)[],
  path: string,
  refused: Untranslatable,
): ContentPart[] {
  return blocks.flatMap((block, at) => {
    const own = `${path}[${at}]`
    if (isPartBlock(block)) return decodePart(block, own, refused)
    refused.add(`content of the type "${block.type}"`, `${own}.type`)
    return []
  })
}

/** A single text without cache control is sent as a string, which every server accepts. */
export function simplify(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts
  if (!first) return ''
  return parts.length === 1 && first.type === 'text' && !('cache_control' in first) ? first.text : parts
}
