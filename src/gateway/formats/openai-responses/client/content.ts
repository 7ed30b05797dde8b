// Content of messages and of tool outputs.
import type { ContentPart } from '../../../../shared/chat.ts'
import type { Untranslatable } from '../../chat/untranslatable.ts'
import { isObject, type JsonObject, stringOr } from '../../json/json.ts'

const FILE_ADVICE = 'Send the content as "file_data".'

function decodeImage(
  { image_url: url, file_id: id, detail }: JsonObject,
  at: string,
  refused: Untranslatable,
) {
  if (typeof url !== 'string') {
    refused.add(typeof id === 'string' ? 'stored files' : 'an image without "image_url"', at)
    return []
  }
  if (url === '') {
    refused.refuse(`"${at}.image_url" is empty. Give a URL or a data URL.`, `${at}.image_url`)
    return []
  }
  const image = { url, ...(typeof detail === 'string' && { detail }) }
  return [{ type: 'image_url' as const, image_url: image }]
}

function decodeFile(part: JsonObject, at: string, refused: Untranslatable): ContentPart[] {
  const { file_data: data, file_url: url, filename } = part
  if (typeof data !== 'string') {
    const what = typeof url === 'string' ? 'files by URL' : 'stored files'
    refused.add(what, at, { advice: FILE_ADVICE })
    return []
  }
  const name = stringOr(filename, 'file')
  return [{ type: 'file', file: { filename: name, file_data: asDataUrl(data, name) } }]
}

const MEDIA_TYPES: Readonly<Record<string, string>> = { pdf: 'application/pdf', txt: 'text/plain' }

/** Some clients send the base64 alone. */
function asDataUrl(data: string, name: string): string {
  if (/^data:/i.test(data)) return data
  const extension = name.split('.').at(-1)?.toLowerCase() ?? ''
  return `data:${MEDIA_TYPES[extension] ?? 'application/pdf'};base64,${data}`
}

function decodePart(part: unknown, at: string, refused: Untranslatable): ContentPart[] {
  if (!isObject(part)) {
    if (typeof part === 'string') return [{ type: 'text', text: part }]
    refused.refuse(`"${at}" is not a content part.`, at)
    return []
  }
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return [{ type: 'text', text: stringOr(part.text, '') }]
    case 'refusal':
      return [{ type: 'refusal', refusal: stringOr(part.refusal, '') }]
    case 'input_image':
    case 'computer_screenshot':
      return decodeImage(part, at, refused)
    case 'input_file':
      return decodeFile(part, at, refused)
    case 'input_audio':
      return [{ type: 'input_audio', input_audio: part.input_audio }]
    default:
      refused.add(`content of the type "${String(part.type)}"`, `${at}.type`)
      return []
  }
}

/** `path`: that of the content in the request. */
export function decodeContent(content: unknown, path: string, refused: Untranslatable): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) {
    if (content !== null && content !== undefined) refused.refuse(`"${path}" must be a text or a list.`, path)
    return []
  }
  return content.flatMap((part, at) => decodePart(part, `${path}[${at}]`, refused))
}

/** A single text as a string, which every server accepts. */
export function simplify(parts: ContentPart[]): string | ContentPart[] {
  const [first, ...others] = parts
  return first === undefined || (first.type === 'text' && others.length === 0) ? (first?.text ?? '') : parts
}

/** The texts; media have none. */
export function textOf(parts: readonly ContentPart[], separator: string): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(separator)
}
