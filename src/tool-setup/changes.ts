// Makes the changes of a tool in the text of a file, and undoes them in a text that may have changed since.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { ConfigFile, ConfigSyntax, ConfigValue } from '../shared/tools/tool-config.ts'
import { type Edit, isRecord, type Location, UnreadableFileError, valueAt, withEdit } from './edit.ts'
import { editors } from './editors.ts'

type ConfigChange = ConfigFile['changes'][number]

/** How one change is undone. */
export const UndoStep = z.object({
  at: z.array(z.string()),
  /** Which item of the list at `at` is ours. */
  item: z.object({ by: z.string(), is: z.string() }).optional(),
  /** A digest of what was written: the value itself may be a secret. */
  written: z.string(),
  /** Absent if there was nothing before. */
  before: z.unknown().optional(),
  /** How many of the names in `at` were there before. */
  depth: z.int(),
})
export type UndoStep = z.infer<typeof UndoStep>

export interface ChangedText {
  text: string
  steps: UndoStep[]
}

/** Makes the changes. Throws UnreadableFileError when the text cannot be read or changed safely. */
export function applyChanges(
  syntax: ConfigSyntax,
  text: string,
  changes: readonly ConfigChange[],
): ChangedText {
  const draft = new Draft(syntax, text)
  const steps = changes.map((change) => applyChange(draft, change))
  return { text: draft.finish(), steps }
}

/** Undoes what has not been changed since. `kept` names the members that were left, because their values are not ours. */
export function undoChanges(
  syntax: ConfigSyntax,
  text: string,
  steps: readonly UndoStep[],
): { text: string; kept: string[] } {
  const draft = new Draft(syntax, text)
  const kept = steps.toReversed().flatMap((step) => (undoStep(draft, step) ? [] : [step.at.join('.')]))
  return { text: draft.finish(), kept: kept.reverse() }
}

export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** A text under change, together with what it must then mean. */
class Draft {
  readonly #syntax: ConfigSyntax
  readonly #prefix: string
  readonly #hasCrlf: boolean
  #text: string
  #expected: unknown

  constructor(syntax: ConfigSyntax, original: string) {
    this.#syntax = syntax
    this.#prefix = original.startsWith('\ufeff') ? '\ufeff' : ''
    const text = original.slice(this.#prefix.length)
    this.#hasCrlf = text.includes('\r\n')
    if (this.#hasCrlf && /(^|[^\r])\n/.test(text)) {
      throw new UnreadableFileError('Its lines end in different ways.')
    }
    this.#text = text.trim() === '' ? editors[syntax].empty : text.replaceAll('\r\n', '\n')
    this.#expected = editors[syntax].parse(this.#text)
    if (!isRecord(this.#expected)) throw new UnreadableFileError('It does not consist of named members.')
  }

  get(at: Location): unknown {
    return valueAt(this.#expected, at)
  }

  edit(edit: Edit): void {
    this.#text = editors[this.#syntax].edit(this.#text, edit)
    this.#expected = withEdit(this.#expected, edit)
  }

  /** The text, if it means exactly what the edits say. Throws UnreadableFileError. */
  finish(): string {
    const actual = editors[this.#syntax].parse(this.#text)
    if (!isDeepStrictEqual(actual, this.#expected)) {
      throw new UnreadableFileError('Tollgate cannot change it without touching other settings.')
    }
    const text = this.#hasCrlf ? this.#text.replaceAll('\n', '\r\n') : this.#text
    return this.#prefix + text
  }
}

function applyChange(draft: Draft, { at, value, itemBy }: ConfigChange): UndoStep {
  const depth = countExisting(draft, at)
  const step = { at: [...at], written: digest(value), depth }
  if (itemBy === undefined) {
    const before = draft.get(at)
    draft.edit(nest(at, depth, value))
    return before === undefined ? step : { ...step, before }
  }
  const list = draft.get(at)
  const is = isRecord(value) ? toText(value[itemBy]) : ''
  const item = { by: itemBy, is }
  if (list === undefined || list === null) {
    draft.edit(nest(at, depth, [value]))
    return { ...step, item, depth: Math.min(depth, at.length - 1) }
  }
  if (!Array.isArray(list)) throw new UnreadableFileError(`In it, ${at.join('.')} is not a list.`)
  const index = findItem(list, item)
  if (index === -1 && list.length === 0) draft.edit({ kind: 'set', at, value: [value] })
  else if (index === -1) draft.edit({ kind: 'insert', at: [...at, 0], value })
  else {
    draft.edit({ kind: 'set', at: [...at, index], value })
    return { ...step, item, before: list[index] }
  }
  return { ...step, item }
}

/** How many of the names lead to something. Throws where a name that should contain the next one does not. */
function countExisting(draft: Draft, at: readonly string[]): number {
  for (let depth = 1; depth <= at.length; depth++) {
    const value = draft.get(at.slice(0, depth))
    if (value === undefined || (value === null && depth < at.length)) return depth - 1
    if (depth < at.length && !isRecord(value)) {
      throw new UnreadableFileError(
        `In it, ${at.slice(0, depth).join('.')} is not what the tool’s documentation says.`,
      )
    }
  }
  return at.length
}

/** Sets the first name that does not exist yet, to all that is missing below it. */
function nest(at: readonly string[], depth: number, value: ConfigValue): Edit {
  const first = at.slice(0, Math.min(depth + 1, at.length))
  const missing = at.slice(first.length)
  return {
    kind: 'set',
    at: first,
    value: missing.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value),
  }
}

/** Returns false if the value is no longer ours. */
function undoStep(draft: Draft, { at, item, written, before, depth }: UndoStep): boolean {
  const list = item && draft.get(at)
  const index = item && Array.isArray(list) ? findItem(list, item) : null
  const target: Location = index === null ? at : [...at, index]
  const value = index === -1 ? undefined : draft.get(target)
  if (value === undefined || (item && index === null)) return true
  // Our member to which something was added goes as a whole: it would hold a key that no longer works.
  const isOurs = digest(value) === written || (before === undefined && isRecord(value))
  if (!isOurs) return isDeepStrictEqual(value, before)
  if (before !== undefined) {
    draft.edit({ kind: 'set', at: target, value: before })
    return true
  }
  removeEmptied(draft, target, depth)
  return true
}

/** Removes a member, or the outermost of its containers that did not exist before and that would be empty. */
function removeEmptied(draft: Draft, target: Location, depth: number): void {
  let at = target
  while (at.length - 1 > depth) {
    const container = draft.get(at.slice(0, -1))
    const size = Array.isArray(container)
      ? container.length
      : isRecord(container)
        ? Object.keys(container).length
        : 2
    if (size > 1) break
    at = at.slice(0, -1)
  }
  draft.edit({ kind: 'remove', at })
}

function findItem(list: readonly unknown[], { by, is }: { by: string; is: string }): number {
  return list.findIndex((item) => isRecord(item) && toText(item[by]) === is)
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
