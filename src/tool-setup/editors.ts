// Changes one member of a text in each syntax, and keeps the rest of it, comments included, as it is.
import { parse as parseToml, patch, stringify as stringifyToml } from '@decimalturn/toml-patch'
import { applyEdits, modify, type ParseError, parse as parseJson, printParseErrorCode } from 'jsonc-parser'
import { isMap, isSeq, parseAllDocuments, parseDocument } from 'yaml'
import type { ConfigSyntax } from '../shared/tools/tool-config.ts'
import { errorMessage } from '../shared/values/text.ts'
import { type Edit, isRecord, UnreadableFileError, valueAt, withEdit } from './edit.ts'

interface Editor {
  /** The initial text of a file without content. */
  empty: string
  /** The content. Throws UnreadableFileError. */
  parse(text: string): unknown
  edit(text: string, edit: Edit): string
}

/** JSON, also with comments and trailing commas, as many tools allow in their settings. */
const json: Editor = {
  empty: '{}\n',
  parse(text) {
    const errors: ParseError[] = []
    const value: unknown = parseJson(text, errors, { allowTrailingComma: true })
    const [error] = errors
    if (error) {
      const line = text.slice(0, error.offset).split('\n').length
      throw new UnreadableFileError(
        `It is not valid JSON: ${printParseErrorCode(error.error)} in line ${line}.`,
      )
    }
    return value
  },
  edit(text, edit) {
    const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
    const formattingOptions = { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: '\n' }
    const value = edit.kind === 'remove' ? undefined : edit.value
    const isArrayInsertion = edit.kind === 'insert'
    return applyEdits(text, modify(text, [...edit.at], value, { formattingOptions, isArrayInsertion }))
  },
}

const yaml: Editor = {
  empty: '',
  parse(text) {
    const documents = parseAllDocuments(text)
    if (documents.length > 1) throw new UnreadableFileError('It has several YAML documents.')
    const document = parseDocument(text)
    const [problem] = document.errors
    if (problem) throw new UnreadableFileError(`It is not valid YAML: ${problem.message.split('\n', 1)[0]}`)
    return document.toJS() ?? {}
  },
  edit(text, { kind, at, ...edit }) {
    const document = parseDocument(text)
    const value = 'value' in edit ? edit.value : undefined
    const list = document.getIn(at.slice(0, -1))
    if (kind === 'remove') document.deleteIn([...at])
    else if (kind === 'insert' && isSeq(list)) {
      const [first] = list.items
      // The package takes a comment on the first item for one on the list.
      if (isMap(first)) first.commentBefore ??= list.commentBefore ?? null
      list.commentBefore = null
      list.items.unshift(document.createNode(value))
    } else {
      // A scalar in place of a scalar keeps its comment and quotes.
      document.setIn([...at], typeof value === 'object' ? document.createNode(value) : value)
    }
    return document.toString({
      indent: Math.min(8, /^( +)\S/m.exec(text)?.[1]?.length ?? 2),
      indentSeq: !/^- /m.test(text),
      flowCollectionPadding: /[[{] /.test(text),
      lineWidth: 0,
      defaultStringType: 'QUOTE_DOUBLE',
      defaultKeyType: 'PLAIN',
    })
  },
}

const toml: Editor = {
  empty: '',
  parse(text) {
    try {
      // The package's objects have no prototype, and so equal no others.
      return structuredClone(parseToml(text))
    } catch (error) {
      const [problem = ''] = errorMessage(error).split('\n')
      throw new UnreadableFileError(`It is not valid TOML: ${problem.replace(/:$/, '')}.`)
    }
  },
  edit(text, edit) {
    const document = toml.parse(text)
    return appendTable(text, edit, document) ?? patch(text, withEdit(document, edit))
  },
}

/** A new table goes to the end under its own header, as people write it; the package would write it in one line. */
function appendTable(text: string, edit: Edit, document: unknown): string | null {
  if (edit.kind !== 'set' || valueAt(document, edit.at) !== undefined) return null
  const tables = writeTables(edit.at.map(String), edit.value)
  if (tables === null) return null
  const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  return `${text}${gap}${tables}`
}

function writeTables(path: readonly string[], value: unknown): string | null {
  if (!isRecord(value)) return null
  const inner = Object.entries(value).filter(([, member]) => isRecord(member))
  const values = Object.fromEntries(Object.entries(value).filter(([, member]) => !isRecord(member)))
  const header = path.map((name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))).join('.')
  const table = Object.keys(values).length > 0 ? `[${header}]\n${stringifyToml(values)}` : ''
  return table + inner.map(([name, member]) => writeTables([...path, name], member)).join('\n')
}

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$/

/** Lines of `NAME=value`. Values are kept as they are written, with their quotes. */
const dotenv: Editor = {
  empty: '',
  parse(text) {
    const values: Record<string, string> = {}
    for (const [index, line] of text.split('\n').entries()) {
      if (/^\s*(#.*)?$/.test(line)) continue
      const [, name, value] = ASSIGNMENT.exec(line) ?? []
      // Such a line is, for instance, the second one of a value that has several.
      if (name === undefined || value === undefined) {
        throw new UnreadableFileError(`Line ${index + 1} is not of the form NAME=value.`)
      }
      if (Object.hasOwn(values, name)) throw new UnreadableFileError(`It sets ${name} more than once.`)
      values[name] = value
    }
    return values
  },
  edit(text, edit) {
    const [name] = edit.at
    const lines = text.split('\n')
    const index = lines.findIndex((line) => ASSIGNMENT.exec(line)?.[1] === name)
    if (edit.kind === 'remove') return lines.filter((_, other) => other !== index).join('\n')
    const line = `${name}=${String(edit.value)}`
    if (index !== -1) return lines.with(index, line).join('\n')
    return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`
  },
}

export const editors: Readonly<Record<ConfigSyntax, Editor>> = { json, yaml, toml, dotenv }
