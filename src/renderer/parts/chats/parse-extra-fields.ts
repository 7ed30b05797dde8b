import { REQUEST_FIELDS } from './request-fields.ts'

export type ParsedExtraFields = { ok: true; fields: Record<string, unknown> } | { ok: false; message: string }

/** Request fields that the playground sets itself, and the reason to give. */
const CONTROLLED_FIELDS: Readonly<Record<string, string>> = {
  model: 'The model is chosen above.',
  messages: 'The messages come from the conversation.',
  stream: 'The playground always streams.',
  stream_options: 'The playground always streams.',
  ...Object.fromEntries(REQUEST_FIELDS.map(({ field, label }) => [field, `Use the ${label} field.`])),
  response_format: 'Use the Response format field.',
  n: 'The playground requests one answer at a time.',
}

/** Parses the JSON object of further request fields that the user typed; blank is an empty object. */
export function parseExtraFields(text: string): ParsedExtraFields {
  if (text.trim() === '') return { ok: true, fields: {} }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'unexpected end'
    return { ok: false, message: `Invalid JSON: ${why}.` }
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { ok: false, message: 'Enter a JSON object: { … }.' }
  }
  const fields = new Map(Object.entries(json))
  for (const [name, why] of Object.entries(CONTROLLED_FIELDS)) {
    if (fields.has(name)) return { ok: false, message: `Remove “${name}”. ${why}` }
  }
  return { ok: true, fields: Object.fromEntries(fields) }
}

/** Whether the playground has its own control for a request field. */
export function isControlledField(field: string): boolean {
  return field in CONTROLLED_FIELDS
}
