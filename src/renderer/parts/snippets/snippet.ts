import type { ToolInput } from '../../../shared/tools/tool-config.ts'

export type SnippetInput = ToolInput

export type SnippetGroup = 'agent' | 'code' | 'chat'

export interface SnippetBlock {
  title: string
  code: string
}

export interface Snippet {
  id: string
  name: string
  group: SnippetGroup
  /** Shown before the blocks. */
  intro: string | null
  /** Shown after the blocks: a common reason why the tool cannot reach the gateway. */
  caution?: string
  /** None for a tool that cannot be connected. */
  blocks: SnippetBlock[]
}

// Quotes values, so that any name and secret can be pasted. A JSON string is also a JavaScript and a Python string.

/** A word of a POSIX shell. */
export function quoteShell(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A YAML string in double quotes: unquoted, `1.5` is a number, `no` a boolean, and `@` an error. */
export function quoteYaml(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, escapeCharacter)
}

/** JSON allows these characters unescaped; YAML reads them as line breaks or rejects them. */
function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A JSON value as a Python literal, in lines that are indented by `depth` steps. */
export function toPython(value: unknown, depth: number): string {
  const pad = '    '.repeat(depth + 1)
  const end = '    '.repeat(depth)
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((item) => `${pad}${toPython(item, depth + 1)},`).join('\n')}\n${end}]`
  }
  if (typeof value === 'object') {
    const fields = Object.entries(value)
    if (fields.length === 0) return '{}'
    const lines = fields.map(
      ([name, field]) => `${pad}${JSON.stringify(name)}: ${toPython(field, depth + 1)},`,
    )
    return `{\n${lines.join('\n')}\n${end}}`
  }
  return JSON.stringify(value)
}
