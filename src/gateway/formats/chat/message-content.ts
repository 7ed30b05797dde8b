// Reads message content for the codecs that translate it.
import type { ContentPart, Message } from '../../../shared/chat.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import { refuseRequest } from './refuse-request.ts'

/** A content part in a form that every format can express. */
export type Piece =
  | { kind: 'text'; text: string; part: JsonObject }
  | { kind: 'inline'; mediaType: string; base64: string; part: JsonObject }
  | { kind: 'link'; url: string; part: JsonObject }

interface Inline {
  mediaType: string
  base64: string
}

/** The content of `data:image/png;base64,…` (RFC 2397); null for other URLs. Throws 400 for a data URL without base64. */
function readDataUrl(url: string): Inline | null {
  if (!/^data:/i.test(url)) return null
  const comma = url.indexOf(',')
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).toLowerCase().split(';')
  if (comma === -1 || mediaType === '' || parameters.at(-1) !== 'base64')
    throw refuseRequest('A data URL must name its media type and be in base64.', 'messages')
  return { mediaType, base64: url.slice(comma + 1) }
}

const AUDIO_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ wav: 'audio/wav', mp3: 'audio/mpeg' }),
)

function readOtherPart(part: ContentPart): Piece | null {
  const given: JsonObject = { ...part }
  const { file, input_audio: audio, refusal } = given
  if (typeof refusal === 'string') return { kind: 'text', text: refusal, part: given }
  if (isObject(file) && typeof file.file_data === 'string') {
    const inline = readDataUrl(file.file_data)
    if (inline) return { kind: 'inline', ...inline, part: given }
  }
  if (isObject(audio) && typeof audio.data === 'string' && typeof audio.format === 'string') {
    const mediaType = AUDIO_TYPES.get(audio.format)
    if (mediaType) return { kind: 'inline', mediaType, base64: audio.data, part: given }
  }
  return null
}

function readPiece(part: ContentPart): Piece {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: part.text, part }
    case 'image_url': {
      const { url } = part.image_url
      const inline = readDataUrl(url)
      if (inline) return { kind: 'inline', ...inline, part }
      if (/^https?:/i.test(url)) return { kind: 'link', url, part }
      throw refuseRequest('An image must be a data URL or an https URL.', 'messages')
    }
    default: {
      const piece = readOtherPart(part)
      if (piece) return piece
      throw refuseRequest(
        `This provider does not accept this kind of "${part.type}" content part.`,
        'messages',
      )
    }
  }
}

/** The parts of a message without empty texts, which no other format accepts. */
export function readPieces(content: Message['content']): Piece[] {
  if (content === undefined || content === null) return []
  const pieces: Piece[] =
    typeof content === 'string' ? [{ kind: 'text', text: content, part: {} }] : content.map(readPiece)
  return pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '')
}

/** The text parts, joined by newlines. */
export function textOf(content: Message['content']): string {
  return readPieces(content)
    .flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []))
    .join('\n')
}

export function omitFields<Request extends JsonObject>(
  request: Request,
  fields: readonly string[] | undefined,
): Request {
  if (!fields) return request
  const copy = { ...request }
  for (const field of fields) delete copy[field]
  return copy
}
