// JSON from elsewhere, whose members may have any type.

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The objects of a list; empty for anything else. */
export function toObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function getText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
