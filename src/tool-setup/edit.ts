// An edit of a document, and its result as a value.
import type { ConfigValue } from '../shared/tools/tool-config.ts'

/** Names of members, and indexes of list items. */
export type Location = readonly (string | number)[]

export type Edit =
  | { kind: 'set'; at: Location; value: unknown }
  /** Puts an item before the first one of an existing list. */
  | { kind: 'insert'; at: Location; value: ConfigValue }
  | { kind: 'remove'; at: Location }

/** The file is not changed, because Tollgate cannot read it or cannot change it safely. The message is for the user. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError'
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** The value at a location; `undefined` if there is none. */
export function valueAt(document: unknown, at: Location): unknown {
  let value = document
  for (const name of at) {
    if (typeof name === 'number') value = Array.isArray(value) ? value[name] : undefined
    else value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}

/** A copy of the document with the edit. */
export function withEdit(document: unknown, edit: Edit): unknown {
  const [name, ...rest] = edit.at
  if (name === undefined) return edit.kind === 'remove' ? undefined : edit.value
  const inner = { ...edit, at: rest }
  if (Array.isArray(document) && typeof name === 'number') {
    const items: unknown[] = [...document]
    if (rest.length > 0) items[name] = withEdit(items[name], inner)
    else if (edit.kind === 'remove') items.splice(name, 1)
    else items.splice(name, edit.kind === 'insert' ? 0 : 1, edit.value)
    return items
  }
  const object = isRecord(document) ? { ...document } : {}
  if (rest.length === 0 && edit.kind === 'remove') {
    delete object[name]
    return object
  }
  return { ...object, [name]: withEdit(object[name], inner) }
}
