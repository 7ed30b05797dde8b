import { z } from 'zod'
import { DEFAULT_PARAMETERS, type ParameterName, type Parameters } from './parameters.ts'
import { parseExtraFields, REQUEST_FIELDS } from './request-fields.ts'

export interface ReadParameters {
  /** The request fields of the parameters that are valid and set. */
  fields: Record<string, unknown>
  /** Further request fields. */
  extra: Record<string, unknown>
  /** The mistakes in the others. */
  errors: ReadonlyMap<ParameterName, string>
}

/** The request fields for parameters as typed. The system prompt is a message, and not among them. */
export function readParameters(parameters: Parameters): ReadParameters {
  const fields: Record<string, unknown> = {}
  const errors = new Map<ParameterName, string>()
  for (const { name, field, parse } of REQUEST_FIELDS) {
    if (parameters[name].trim() === '') continue
    const parsed = parse(parameters[name])
    if (!parsed.ok) errors.set(name, parsed.message)
    else if (parsed.value !== undefined) fields[field] = parsed.value
  }
  const format = parseResponseFormat(parameters)
  if (!format.ok) errors.set('schema', format.message)
  else if (format.value !== undefined) fields.response_format = format.value
  const extra = parseExtraFields(parameters.extra)
  if (!extra.ok) errors.set('extra', extra.message)
  return { fields, extra: extra.ok ? extra.fields : {}, errors }
}

/** The parameters for the fields of a request, and the fields that have no control of their own. */
export function writeParameters(fields: Readonly<Record<string, unknown>>): {
  parameters: Parameters
  rest: Record<string, unknown>
} {
  const rest = new Map(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))
  let parameters = DEFAULT_PARAMETERS
  for (const { name, field, write } of REQUEST_FIELDS) {
    const text = rest.has(field) ? write(rest.get(field)) : null
    if (text !== null) parameters = { ...parameters, [name]: text }
    rest.delete(field)
  }
  const format = writeResponseFormat(rest.get('response_format'))
  if (format) parameters = { ...parameters, ...format }
  rest.delete('response_format')
  return { parameters, rest: Object.fromEntries(rest) }
}

type ParsedFormat = { ok: true; value: object | undefined } | { ok: false; message: string }
type Format = Pick<Parameters, 'responseFormat' | 'schema'>

const NamedSchema = z.looseObject({ name: z.string(), schema: z.record(z.string(), z.unknown()) })
const Field = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({ type: z.literal('json_schema'), json_schema: z.record(z.string(), z.unknown()) }),
])

/** The request field `response_format`; undefined for text. */
function parseResponseFormat({ responseFormat, schema }: Format): ParsedFormat {
  if (responseFormat === 'text') return { ok: true, value: undefined }
  if (responseFormat === 'json_object') return { ok: true, value: { type: 'json_object' } }
  const json = parseObject(schema)
  if (!json) return { ok: false, message: 'Enter a JSON Schema: an object such as { "type": "object", … }.' }
  const named = NamedSchema.safeParse(json)
  const title = typeof json.title === 'string' ? json.title.replaceAll(/[^\w-]+/g, '_') : ''
  return {
    ok: true,
    value: {
      type: 'json_schema',
      json_schema: named.success ? json : { name: title || 'answer', schema: json },
    },
  }
}

/** The parameters for a `response_format`; null for one of an unknown type. */
function writeResponseFormat(field: unknown): Format | null {
  const known = Field.safeParse(field)
  if (!known.success) return null
  const schema = known.data.type === 'json_schema' ? JSON.stringify(known.data.json_schema, null, 2) : ''
  return { responseFormat: known.data.type, schema }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  } catch {
    return null
  }
}
