// Owns reading the further request fields that a user typed as a JSON object, or what is wrong with them.

export type ParsedExtraFields = { ok: true; fields: Record<string, unknown> } | { ok: false; message: string }

/** Fields that the playground sets itself, and where. */
const OWN: Readonly<Record<string, string>> = {
  model: 'The model is chosen above.',
  messages: 'The messages are those of the conversation.',
  stream: 'The playground always streams.',
  stream_options: 'The playground always streams.',
  temperature: 'Temperature has a field of its own.',
  max_tokens: 'Max tokens has a field of its own.',
  tools: 'Tools have a field of their own.',
  n: 'The playground asks for one answer at a time.',
}

/** Blank is none. */
export function parseExtraFields(text: string): ParsedExtraFields {
  if (text.trim() === '') return { ok: true, fields: {} }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'it breaks off'
    return { ok: false, message: `This is not JSON: ${why}.` }
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { ok: false, message: 'This must be a JSON object, in { and }.' }
  }
  const fields = new Map(Object.entries(json))
  for (const [name, why] of Object.entries(OWN)) {
    if (fields.has(name)) return { ok: false, message: `Take “${name}” out. ${why}` }
  }
  return { ok: true, fields: Object.fromEntries(fields) }
}

/** Whether the playground has a place of its own for a request field. */
export function isControlledField(field: string): boolean {
  return field in OWN
}
