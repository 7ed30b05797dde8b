import { z } from 'zod'
import type { Parameters } from './parameters.ts'

export type ParsedFormat = { ok: true; value: object | undefined } | { ok: false; message: string }
type Format = Pick<Parameters, 'responseFormat' | 'schema'>

const NamedSchema = z.looseObject({ name: z.string(), schema: z.record(z.string(), z.unknown()) })
const Field = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({ type: z.literal('json_schema'), json_schema: z.record(z.string(), z.unknown()) }),
])

/** The request field `response_format`; undefined for text. */
export function parseResponseFormat({ responseFormat, schema }: Format): ParsedFormat {
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
export function writeResponseFormat(field: unknown): Format | null {
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
