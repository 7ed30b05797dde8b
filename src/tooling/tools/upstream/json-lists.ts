import { isObject, type JsonObject } from '../../../gateway/formats/json/json.ts'

/** The objects in a JSON list; none if it is not a list. */
export function readList(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
