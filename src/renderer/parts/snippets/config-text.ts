// A configuration file as text to paste.
import {
  type ConfigFile,
  type ConfigSyntax,
  type ConfigValue,
  isConfigObject,
  toDocument,
} from '../../../shared/tools/tool-config.ts'
import { findTool } from '../../../shared/tools/tool-table.ts'
import { quoteYaml } from './quoting.ts'
import type { SnippetBlock, SnippetInput } from './snippet.ts'

type Document = { readonly [name: string]: ConfigValue }

/** The files of a tool of the table, each as a block. */
export function configBlocks(tool: string, input: SnippetInput): SnippetBlock[] {
  const row = findTool(tool)
  if (!row) throw new Error(`the table has no tool ${tool}`)
  return row.files(input).map((file) => ({ title: `~/${file.path}`, code: configText(file) }))
}

function configText(file: ConfigFile): string {
  return writers[file.syntax](toDocument(file))
}

const writers: Record<ConfigSyntax, (document: Document) => string> = {
  json: (document) => JSON.stringify(document, null, 2),
  yaml: (document) => yamlLines(document).join('\n'),
  toml: writeToml,
  dotenv: (document) =>
    Object.entries(document)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join('\n'),
}

function yamlLines(value: ConfigValue, indent = ''): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: ConfigValue) => {
      const [first = '', ...rest] = yamlLines(item, `${indent}  `)
      return [`${indent}- ${first.trimStart()}`, ...rest]
    })
  }
  if (isConfigObject(value)) {
    return Object.entries(value).flatMap(([name, member]) =>
      typeof member === 'object'
        ? [`${indent}${name}:`, ...yamlLines(member, `${indent}  `)]
        : [`${indent}${name}: ${yamlScalar(member)}`],
    )
  }
  return [`${indent}${yamlScalar(value)}`]
}

function yamlScalar(value: ConfigValue): string {
  return typeof value === 'string' ? quoteYaml(value) : String(value)
}

/** Members of the top level, then a table for each object. */
function writeToml(document: Document): string {
  const members = Object.entries(document).filter(([, value]) => !isConfigObject(value))
  return [members.map(tomlMember).join('\n'), ...tomlTables(document, [])].filter(Boolean).join('\n\n')
}

function tomlTables(object: Document, path: readonly string[]): string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (!isConfigObject(value)) return []
    const members = Object.entries(value).filter(([, inner]) => !isConfigObject(inner))
    const own =
      members.length > 0 ? [`[${[...path, name].join('.')}]\n${members.map(tomlMember).join('\n')}`] : []
    return [...own, ...tomlTables(value, [...path, name])]
  })
}

function tomlMember([name, value]: [string, ConfigValue]): string {
  // A basic string of TOML has the escapes of JSON, and needs one for DEL too.
  return `${name} = ${JSON.stringify(value).replaceAll('\x7f', '\\u007f')}`
}
