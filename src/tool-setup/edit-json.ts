import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { type Editor, type Location, UnreadableFileError } from './editor.ts'

/** JSON, also with comments and trailing commas, as many tools allow in their settings. */
export const jsonEditor: Editor = {
  empty: '{}\n',
  parse(text) {
    const errors: ParseError[] = []
    const value: unknown = parse(text, errors, { allowTrailingComma: true })
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
    const at = [...edit.at]
    const container = findContainer(text, at)
    const siblings = container?.children ?? []
    const value = edit.kind === 'remove' ? undefined : edit.value
    if (!container || siblings.length === 0 || (edit.kind === 'remove' && siblings.length === 1)) {
      return applyEdits(text, modify(text, at, value, { formattingOptions: findFormat(text) }))
    }
    // The package's own formatting would also format the neighbors.
    const layout = findLayout(text, container)
    if (edit.kind === 'insert') {
      const offset = siblings[0]?.offset ?? 0
      const item = layOut(JSON.stringify(value), value, layout)
      return `${text.slice(0, offset)}${item},${layout.separator}${text.slice(offset)}`
    }
    return applyEdits(
      text,
      modify(text, at, value, {}).map((each) => ({ ...each, content: layOut(each.content, value, layout) })),
    )
  },
}

/** How the members of a container are separated, and how much deeper each level of their values is. */
interface Layout {
  separator: string
  unit: string
}

const ONE_LINE: Layout = { separator: ' ', unit: '' }

/** Puts the package's compact text of a new member or item into the layout of its container. */
function layOut(content: string, value: unknown, { separator, unit }: Layout): string {
  const compact = JSON.stringify(value)
  if (content === '' || compact === undefined) return content
  const spaced = unit === '' ? compact : JSON.stringify(value, null, unit).replaceAll('\n', separator)
  return content.replace(compact, () => spaced).replace(/^,(?=\S)/, `,${separator}`)
}

function findLayout(text: string, container: Node): Layout {
  const [first] = container.children ?? []
  const between = first ? text.slice(container.offset + 1, first.offset) : ''
  if (!first || !between.includes('\n')) return ONE_LINE
  const indent = /[ \t]*$/.exec(text.slice(0, first.offset))?.[0] ?? ''
  return { separator: `\n${indent}`, unit: findIndent(text) }
}

function findContainer(text: string, at: Location): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true })
  return root && findNodeAtLocation(root, at.slice(0, -1))
}

function findFormat(text: string): FormattingOptions {
  const indent = findIndent(text)
  return { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: '\n' }
}

/** The indentation of one level in this file. */
function findIndent(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
}
