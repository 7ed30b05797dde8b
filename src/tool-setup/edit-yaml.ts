import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  parseDocument,
  type Scalar,
  stringify,
  type YAMLSeq,
} from 'yaml'
import { type Edit, type Editor, UnreadableFileError } from './editor.ts'

export const yamlEditor: Editor = {
  empty: '',
  parse(text) {
    const documents = parseAllDocuments(text)
    if (documents.length > 1) throw new UnreadableFileError('It has several YAML documents.')
    const document = parseDocument(text)
    const [problem] = document.errors
    if (problem) throw new UnreadableFileError(`It is not valid YAML: ${problem.message.split('\n', 1)[0]}`)
    return document.toJS() ?? {}
  },
  edit(text, edit) {
    const document = parseDocument(text)
    // The package rewrites the whole document with its own indentation, so simple edits are made in the text.
    return editText(text, document, edit) ?? editDocument(document, edit)
  },
}

function editDocument(document: Document.Parsed, edit: Edit): string {
  if (edit.kind === 'remove') document.deleteIn([...edit.at])
  else if (edit.kind === 'set') document.setIn([...edit.at], document.createNode(edit.value))
  else {
    const list = document.getIn(edit.at.slice(0, -1))
    if (isSeq(list)) list.items.unshift(document.createNode(edit.value))
  }
  return document.toString({ lineWidth: 0 })
}

/** The text with the edit, where that takes only whole lines or one scalar; otherwise null. */
function editText(text: string, document: Document.Parsed, edit: Edit): string | null {
  const root = document.contents
  if (root !== null && (!isMap(root) || root.flow)) return null
  const [name, index] = edit.at
  if (typeof name !== 'string') return null
  const existing = root?.items.find(({ key }) => isScalar(key) && key.value === name)
  const value: unknown = existing?.value
  if (edit.kind === 'set' && edit.at.length === 1) {
    if (existing === undefined) return appendLines(text, write({ [name]: edit.value }))
    return isScalar(value) && value.value !== null && typeof edit.value !== 'object'
      ? replaceScalar(text, value, edit.value)
      : null
  }
  if (edit.kind === 'remove' && edit.at.length === 1 && existing) {
    return isScalar(value) || isSeq(value)
      ? removeLines(text, getRange(existing.key)?.[0], getRange(value)?.[1])
      : null
  }
  if (!isSeq(value) || value.flow || typeof index !== 'number' || edit.at.length !== 2) return null
  return editList(text, value, edit)
}

function editList(text: string, list: YAMLSeq, { kind, at, ...edit }: Edit): string | null {
  const item = getRange(list.items[Number(at[1])])
  if (item === null) return null
  const dash = text.lastIndexOf('-', item[0])
  const start = lineStart(text, dash)
  const indent = text.slice(start, dash)
  if (dash === -1 || indent.trim() !== '') return null
  if (kind === 'insert' && 'value' in edit) {
    const lines = write([edit.value]).trimEnd().split('\n')
    return `${text.slice(0, start)}${lines.map((line) => `${indent}${line}\n`).join('')}${text.slice(start)}`
  }
  return kind === 'remove' && list.items.length > 1 ? removeLines(text, start, item[1]) : null
}

function replaceScalar(text: string, scalar: Scalar, value: unknown): string | null {
  const range = getRange(scalar)
  return range && `${text.slice(0, range[0])}${write(value).trimEnd()}${text.slice(range[1])}`
}

function appendLines(text: string, lines: string): string {
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${lines}`
}

/** Removes the lines from one position to another, both included. */
function removeLines(text: string, from: number | undefined, to: number | undefined): string | null {
  if (from === undefined || to === undefined) return null
  // The end of a block is the start of the next line.
  const last = to > from && text[to - 1] === '\n' ? to - 1 : to
  const end = text.indexOf('\n', last)
  return text.slice(0, lineStart(text, from)) + (end === -1 ? '' : text.slice(end + 1))
}

function lineStart(text: string, position: number): number {
  return text.lastIndexOf('\n', position - 1) + 1
}

function getRange(node: unknown): readonly [number, number, number] | null {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : null
  return Array.isArray(range) ? [Number(range[0]), Number(range[1]), Number(range[2])] : null
}

function write(value: unknown): string {
  return stringify(value, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 })
}
