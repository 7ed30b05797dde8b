import type { GeminiPart } from '../../../../shared/gemini.ts'
import type { Untranslatable } from '../../chat/untranslatable.ts'

type InlineData = NonNullable<GeminiPart['inlineData']>
type FileData = NonNullable<GeminiPart['fileData']>

/** Content parts of a chat message. */
export type MediaPart =
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }

/** The formats of `input_audio`, by media type. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    'audio/wav': 'wav',
    'audio/wave': 'wav',
    'audio/x-wav': 'wav',
    'audio/mp3': 'mp3',
    'audio/mpeg': 'mp3',
  }),
)

export function readInlineData({ mimeType, data: given }: InlineData): MediaPart {
  // Google accepts both alphabets of base64.
  const data = given.replaceAll('-', '+').replaceAll('_', '/')
  const type = mimeType.toLowerCase()
  const url = `data:${type};base64,${data}`
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const format = AUDIO_FORMATS.get(type)
  if (format !== undefined) return { type: 'input_audio', input_audio: { data, format } }
  return { type: 'file', file: { filename: `file.${type.split('/')[1] ?? 'bin'}`, file_data: url } }
}

/** Null for a file that only Google can read. */
export function readFileData(
  { fileUri, mimeType }: FileData,
  path: string,
  only: Untranslatable,
): MediaPart | null {
  const isImage =
    mimeType?.startsWith('image/') ?? /\.(gif|jpe?g|png|webp)$/i.test(fileUri.split(/[?#]/, 1)[0] ?? '')
  const isStored = fileUri.startsWith('https://generativelanguage.googleapis.com/')
  if (isImage && !isStored && /^https?:/i.test(fileUri))
    return { type: 'image_url', image_url: { url: fileUri } }
  only.add('Only Google can read this file by its URI.', `${path}.fileData.fileUri`)
  return null
}
