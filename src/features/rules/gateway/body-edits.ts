// Changes of a request by the places of its members, in its text and in its parsed form alike.
import { type JsonPath, removeAt, replaceAt } from '../../../gateway/formats/json/edit-json.ts'
import { isObject, type JsonObject } from '../../../gateway/formats/json/json.ts'

/** `value`: absent to remove what is at `path`. Nothing changes where nothing is. */
export interface Edit {
  path: JsonPath
  value?: unknown
}

export function readAt(json: unknown, path: JsonPath): unknown {
  let value = json
  for (const step of path) {
    if (Array.isArray(value) && typeof step === 'number') value = value[step]
    else if (isObject(value) && typeof step === 'string') value = value[step]
    else return undefined
  }
  return value
}

/** The text with the edits, which come from the last to the first element of a list; all else keeps its bytes. */
export function editText(text: string, edits: readonly Edit[]): string {
  return edits.reduce(
    (edited, { path, value }) =>
      value === undefined ? removeAt(edited, path) : replaceAt(edited, path, value),
    text,
  )
}

/** A copy with the edits. What they do not concern is shared with the original. */
export function editObject(json: JsonObject, edits: readonly Edit[]): JsonObject {
  return edits.reduce((edited, { path, value }) => editIn(edited, path, value) as JsonObject, json)
}

function editIn(value: unknown, [step, ...rest]: JsonPath, edited: unknown): unknown {
  if (step === undefined) return edited
  const inner = readAt(value, [step])
  if (inner === undefined) return value
  const changed = editIn(inner, rest, edited)
  if (Array.isArray(value) && typeof step === 'number')
    return changed === undefined ? value.toSpliced(step, 1) : value.with(step, changed)
  const { [String(step)]: _, ...others } = value as JsonObject
  // In the order that it had, as in the text.
  return changed === undefined ? others : { ...(value as JsonObject), [String(step)]: changed }
}

/** The path of `input[0].tools[1]`. */
export function parsePath(param: string): JsonPath {
  return [...param.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) : step))
}

/** `input[0].tools[1]` */
export function formatPath(path: JsonPath): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  )
}
