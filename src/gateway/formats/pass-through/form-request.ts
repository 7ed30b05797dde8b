// Requests that are forms.
import { invalidRequest } from '../../platform/errors.ts'
import type { PassThrough, PassThroughInput } from '../chat/pass-through.ts'
import type { JsonObject } from '../json/json.ts'
import { type FormPart, readForm, replacePart } from './form.ts'

/** The fields of a form, to be validated: texts, and the size in bytes of files. Throws GatewayError 400. */
export function readFields(bytes: Buffer, boundary: string): JsonObject {
  const parts = requireForm(bytes, boundary)
  const names = parts.map(({ name }) => name)
  // Of two models or files, the provider may take the other one.
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

/** The form as it came, with the provider's name of the model. */
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
