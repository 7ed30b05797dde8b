import type { z } from 'zod'

/** What this window keeps in a slot for its next start, as JSON; null for nothing, or what the schema does not accept. */
export function readStored<Value>(slot: string, schema: z.ZodType<Value>): Value | null {
  try {
    return schema.parse(JSON.parse(localStorage.getItem(slot) ?? ''))
  } catch {
    return null
  }
}
