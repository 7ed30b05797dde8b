// A page for each tool, from what the Connect view shows and what `tollgate setup` writes.
import { buildSnippets, DEFAULT_BASE_URL } from '../../renderer/parts/snippets/build-snippets.ts'
import { findTool } from '../../shared/tools/tool-table.ts'
import type { SitePage } from './page.ts'

type ToolSnippet = ReturnType<typeof buildSnippets>[number]

const INPUT = { baseUrl: DEFAULT_BASE_URL, secret: 'tg-YOUR-KEY', model: 'sandbox-small' }

const LANGUAGES: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/terminal/i, 'bash'],
  [/\.jsonc?$/, 'json'],
  [/\.toml$/, 'toml'],
  [/\.ya?ml$/, 'yaml'],
  [/\.py$/, 'python'],
  [/\.m?[jt]s$/, 'ts'],
  [/\.env$/, 'ini'],
]

export function createToolPages(): SitePage[] {
  return buildSnippets(INPUT).map((snippet) => ({
    path: `tools/${snippet.id}`,
    title: snippet.name,
    text: writePage(snippet),
  }))
}

function writePage({ id, name, intro, caution, blocks }: ToolSnippet): string {
  const row = findTool(id)
  const parts = [`# ${name}`]
  if (blocks.length === 0) return [...parts, caution ?? ''].join('\n\n')
  parts.push(
    'Create a key with a cap for this tool, in the window under Keys or with `tollgate keys create`. ' +
      '`sandbox-small` answers without an account; replace it with the model that you want.',
  )
  if (row) {
    parts.push('## Set up for me', SET_UP, code(setupCommands(id), 'bash'), row.next, '## By hand')
  }
  if (intro) parts.push(intro)
  for (const block of blocks) parts.push(`**${block.title}**`, code(block.code, findLanguage(block.title)))
  if (caution) parts.push(caution)
  parts.push(
    `## Check it\n\nThe first request appears in Requests with its cost. If none does, the [FAQ](../faq.md#a-tool-gets-an-error) helps.`,
  )
  if (row) parts.push(`The files are described in [the documentation of ${name}](${row.docs}).`)
  return parts.join('\n\n')
}

const SET_UP =
  'Connect in the window shows the changes, writes the configuration, and can undo it. So does the command ' +
  'while Tollgate is running:'

function setupCommands(id: string): string {
  return [
    `tollgate setup ${id} --dry-run  # shows the changes`,
    `tollgate setup ${id} --cap 5    # writes them, with a new key`,
    `tollgate setup ${id} --undo`,
  ].join('\n')
}

function findLanguage(title: string): string {
  return LANGUAGES.find(([pattern]) => pattern.test(title))?.[1] ?? 'text'
}

function code(text: string, language: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``
}
