// The bodies of requests and answers that are passed through: JSON and forms.
import { invalidRequest } from '../../platform/errors.ts'
import type { PassThrough, PassThroughInput, RawAnswer } from '../chat/pass-through.ts'
import { readMember, setMember } from '../json/edit-json.ts'
import { asObject, isObject, type JsonObject, parseJson, tokenCount } from '../json/json.ts'

// Reads `multipart/form-data` (RFC 7578) and changes one field, leaving everything else byte for byte.

export interface FormPart {
  name: string
  /** Null for a part that is not a file. */
  filename: string | null
  /** The unchanged headers of the part. */
  headers: string
  content: Buffer
  /** Where the content is in the body. */
  start: number
}

const LINE_END = '\r\n'
/** The characters of RFC 2046: it is sent on in quotes. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,200})"|([\w'()+,./:=?-]{1,200}))\s*(?:;|$)/i
const MAX_PARTS = 100
/** White space after a boundary, which RFC 2046 allows. */
const MAX_PADDING = 100

/** The boundary in a Content-Type; null if it is no form. */
export function readBoundary(contentType: string | undefined): string | null {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) return null
  const match = BOUNDARY.exec(contentType ?? '')
  return match?.[1] ?? match?.[2] ?? null
}

/**
 * The parts of a form. Null for a body that is damaged or has too many parts, and for one that parsers of forms read
 * differently: text before the first boundary or after the last, or boundaries that are not lines of their own.
 */
export function readForm(body: Buffer, boundary: string): FormPart[] | null {
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`)
  const opening = delimiter.subarray(LINE_END.length)
  const parts: FormPart[] = []
  if (!body.subarray(0, opening.byteLength).equals(opening)) return null
  let at = opening.byteLength
  while (body.toString('latin1', at, at + 2) !== '--') {
    const lineEnd = body.indexOf(LINE_END, at)
    const headerEnd = body.indexOf(LINE_END + LINE_END, lineEnd)
    const end = headerEnd === -1 ? -1 : body.indexOf(delimiter, headerEnd + LINE_END.length)
    if (lineEnd === -1 || end === -1 || parts.length === MAX_PARTS) return null
    if (!/^[ \t]*$/.test(body.toString('latin1', at, Math.min(lineEnd, at + MAX_PADDING)))) return null
    // The headers of the part must not contain the start of another one.
    const next = body.indexOf(delimiter, lineEnd)
    if (next !== -1 && next < headerEnd) return null
    const start = Math.min(headerEnd + 2 * LINE_END.length, end)
    const part = readPartHeaders(body.toString('utf8', lineEnd, headerEnd))
    if (!part) return null
    parts.push({ ...part, content: body.subarray(start, end), start })
    at = end + delimiter.byteLength
  }
  const after = body.toString('latin1', at + 2, at + 2 + MAX_PADDING)
  return after.trim() === '' && body.byteLength <= at + 2 + MAX_PADDING ? parts : null
}

export function replacePart(body: Buffer, { start, content }: FormPart, text: string): Buffer {
  return Buffer.concat([
    body.subarray(0, start),
    Buffer.from(text),
    body.subarray(start + content.byteLength),
  ])
}

const DISPOSITION = /(?:^|\n)content-disposition:([^\r\n]*)/gi
const PARAMETER = /\s*;\s*([\w!#$&+.^`|~*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/y

/** Null unless there is one disposition with one name: of several, each parser takes another. */
export function readPartHeaders(headers: string): Omit<FormPart, 'content' | 'start'> | null {
  const [disposition, ...others] = [...headers.matchAll(DISPOSITION)].map(([, value = '']) => value.trim())
  const [, rest] = /^form-data(.*)$/i.exec(disposition ?? '') ?? []
  const parameters = rest === undefined || others.length > 0 ? null : readParameters(rest)
  const name = parameters?.get('name')
  if (!parameters || name === undefined || parameters.has('name*')) return null
  const filename = parameters.get('filename') ?? parameters.get('filename*') ?? null
  return { name, filename, headers }
}

/** Null for a name that appears twice, and for anything that is no parameter. */
function readParameters(text: string): Map<string, string> | null {
  const parameters = new Map<string, string>()
  let at = 0
  while (at < text.length) {
    PARAMETER.lastIndex = at
    const [all = '', name = '', quoted, token = ''] = PARAMETER.exec(text) ?? []
    if (all === '' || parameters.has(name.toLowerCase())) return null
    parameters.set(name.toLowerCase(), quoted ?? token)
    at += all.length
  }
  return parameters
}

/** The fields of a form, to be validated: texts, and the size in bytes of files. Throws GatewayError 400. */
export function readFields(bytes: Buffer, boundary: string): JsonObject {
  const parts = requireForm(bytes, boundary)
  const names = parts.map(({ name }) => name)
  // Given two models or files, the provider may take the other one.
  const twice = names.find((name, at) => !name.endsWith('[]') && names.indexOf(name) < at)
  if (twice !== undefined) {
    const param = twice.slice(0, 100)
    throw invalidRequest(`The field "${param}" appears twice in the form.`, { param })
  }
  return Object.fromEntries(
    parts.map(({ name, filename, content }) => [
      name,
      filename === null ? content.toString('utf8') : { bytes: content.byteLength },
    ]),
  )
}

/** Throws GatewayError 400. */
export function requireForm(bytes: Buffer, boundary: string): FormPart[] {
  const parts = readForm(bytes, boundary)
  if (parts) return parts
  throw invalidRequest('The body is not valid multipart/form-data.')
}

export function findText(parts: readonly FormPart[], name: string): FormPart | undefined {
  return parts.find((part) => part.name === name && part.filename === null)
}

/** The form with the provider's name of the model, otherwise unchanged. */
export function encodeForm(
  { bytes, boundary }: PassThroughInput,
  modelPart: FormPart,
): PassThrough['encode'] {
  const model = modelPart.content.toString('utf8')
  return (name) => ({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    body: '',
    bytes: name === model ? bytes : replacePart(bytes, modelPart, name),
  })
}

// Reads members of requests and answers.

/** Used to estimate tokens that a provider does not report. */
export const BYTES_PER_TOKEN = 4

/** The answer as a JSON object; an empty one if it is none. */
export function readJsonAnswer({ bytes }: RawAnswer): JsonObject {
  return asObject(parseJson(bytes.toString('utf8')))
}

/** A cost in USD that the provider reports for the request. */
export function readReportedCost({ cost }: JsonObject): number | null {
  return typeof cost === 'number' && cost >= 0 && cost <= 10_000 ? cost : null
}

/** The tokens of a `usage` without output. Null when it has none, and for 0: such a server does not count tokens. */
export function readInputTokens(usage: JsonObject): number | null {
  const counts = [usage.prompt_tokens, usage.input_tokens, usage.total_tokens].map(tokenCount)
  return counts.find((count) => count !== null && count > 0) ?? null
}

/** The bytes of all strings in a JSON value, which bound its tokens. */
export function countStringBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countStringBytes(item), 0)
  return isObject(value) ? countStringBytes(Object.values(value)) : 0
}

/** All strings in a JSON value, one a line. */
export function joinStrings(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(joinStrings).join('\n')
  return isObject(value) ? joinStrings(Object.values(value)) : ''
}

const HEADERS = { 'content-type': 'application/json' }

/** The body with the provider's name of the model, otherwise unchanged. */
export function encodeJson({ bytes }: PassThroughInput): PassThrough['encode'] {
  const text = bytes.toString('utf8')
  const requestedModel = readMember(text, 'model')
  return (model) => ({
    headers: { ...HEADERS },
    body: requestedModel === JSON.stringify(model) ? text : setMember(text, ['model'], model),
  })
}
