// Reads `multipart/form-data` (RFC 7578) and changes one field, leaving everything else byte for byte.

export interface FormPart {
  name: string
  /** Null for a part that is not a file. */
  filename: string | null
  /** As they came. */
  headers: string
  content: Buffer
  /** Where the content is in the body. */
  start: number
}

const LINE_END = '\r\n'
const MAX_PARTS = 100

/** The boundary in a Content-Type; null if it is no form. */
export function readBoundary(contentType: string | undefined): string | null {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) return null
  const match = /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType ?? '')
  return match?.[1] ?? match?.[2] ?? null
}

/** The parts of a form. Null for a body that is damaged or has too many parts. */
export function readForm(body: Buffer, boundary: string): FormPart[] | null {
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`)
  const opening = delimiter.subarray(LINE_END.length)
  const parts: FormPart[] = []
  let at = body.indexOf(opening)
  if (at === -1) return null
  at += opening.byteLength
  while (body.toString('latin1', at, at + 2) !== '--') {
    const lineEnd = body.indexOf(LINE_END, at)
    const headerEnd = body.indexOf(LINE_END + LINE_END, lineEnd)
    const end = headerEnd === -1 ? -1 : body.indexOf(delimiter, headerEnd + LINE_END.length)
    if (lineEnd === -1 || end === -1 || parts.length === MAX_PARTS) return null
    const start = Math.min(headerEnd + 2 * LINE_END.length, end)
    const part = readHeaders(body.toString('utf8', lineEnd, headerEnd))
    if (!part) return null
    parts.push({ ...part, content: body.subarray(start, end), start })
    at = end + delimiter.byteLength
  }
  return parts
}

/** The body with another content of the part. */
export function replacePart(body: Buffer, { start, content }: FormPart, text: string): Buffer {
  return Buffer.concat([
    body.subarray(0, start),
    Buffer.from(text),
    body.subarray(start + content.byteLength),
  ])
}

function readHeaders(headers: string): Omit<FormPart, 'content' | 'start'> | null {
  const disposition = /(?:^|\n)content-disposition:\s*form-data([^\r\n]*)/i.exec(headers)?.[1]
  const name = disposition === undefined ? null : readParameter(disposition, 'name')
  if (disposition === undefined || name === null) return null
  return { name, filename: readParameter(disposition, 'filename'), headers }
}

function readParameter(disposition: string, name: string): string | null {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, 'i').exec(disposition)
  return match?.[1] ?? match?.[2] ?? null
}
