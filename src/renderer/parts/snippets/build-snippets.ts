import {
  type ConfigFile,
  type ConfigSyntax,
  type ConfigValue,
  isConfigObject,
  toDocument,
} from '../../../shared/tools/tool-config.ts'
import { configurableTools } from '../../../shared/tools/tool-table.ts'
import { buildCodeSnippets } from './code-snippets.ts'
import { quoteShell, quoteYaml, type Snippet, type SnippetBlock, type SnippetInput } from './snippet.ts'

/** The base URL with the default port. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8655/v1'

/** The most used tools first. */
export function buildSnippets(input: SnippetInput): Snippet[] {
  return [...buildAgentSnippets(input), ...buildCodeSnippets(input), ...buildChatAppSnippets(input)]
}

/** The ids and names of all tools. */
export function listTools(): readonly Pick<Snippet, 'id' | 'name'>[] {
  return buildSnippets({ baseUrl: DEFAULT_BASE_URL, secret: '', model: '' })
}

// The configuration with which chat applications call the gateway, according to their own documentation.

const CONTAINER =
  'Inside a container, 127.0.0.1 is the container itself. “From a container” below says which base URL to use there.'

function buildChatAppSnippets({ baseUrl, secret, model }: SnippetInput): Snippet[] {
  return [
    {
      id: 'open-webui',
      name: 'Open WebUI',
      group: 'chat',
      intro: 'It fetches the list of models itself.',
      caution: CONTAINER,
      blocks: [
        {
          title: 'Terminal',
          code: [
            `export OPENAI_API_BASE_URLS=${quoteShell(baseUrl)}`,
            `export OPENAI_API_KEYS=${quoteShell(secret)}`,
            'open-webui serve',
          ].join('\n'),
        },
      ],
    },
    {
      id: 'librechat',
      name: 'LibreChat',
      group: 'chat',
      intro: 'Merge this into the file. LibreChat rejects private addresses that are not on its allow list.',
      caution: CONTAINER,
      blocks: [
        {
          title: 'librechat.yaml',
          code: `endpoints:
  allowedAddresses:
    - ${quoteYaml(new URL(baseUrl).host)}
  custom:
    - name: Tollgate
      apiKey: ${quoteYaml(secret)}
      baseURL: ${quoteYaml(baseUrl)}
      models:
        default:
          - ${quoteYaml(model)}
        fetch: true
      titleConvo: true
      titleModel: ${quoteYaml(model)}`,
        },
      ],
    },
  ]
}

// The configuration with which coding agents and editors call the gateway, according to their own documentation.

/** The most used first, and last what cannot be connected. */
const AGENTS = [
  ...['claude-code', 'codex', 'copilot', 'gemini', 'cline', 'opencode', 'roo', 'kilo', 'continue', 'zed'],
  ...['jetbrains', 'qwen', 'aider', 'crush', 'pi', 'cursor'],
]

function buildAgentSnippets(input: SnippetInput): Snippet[] {
  const blocks = furtherBlocks(input)
  const all = [
    ...configurableTools.map(({ id, name, intro, files }) => ({
      id,
      name,
      intro,
      blocks: [...files(input).map(toBlock), ...(blocks[id] ?? [])],
    })),
    ...buildToolsWithoutFiles(input),
  ]
  return AGENTS.flatMap((id) => all.filter((snippet) => snippet.id === id)).map((snippet) => ({
    group: 'agent',
    ...snippet,
  }))
}

/** The texts that a tool needs besides its files. */
function furtherBlocks({ baseUrl, secret, model }: SnippetInput): Readonly<Record<string, SnippetBlock[]>> {
  const code = [
    `export OPENAI_API_BASE=${quoteShell(baseUrl)}`,
    `export OPENAI_API_KEY=${quoteShell(secret)}`,
    `aider --model ${quoteShell(`openai/${model}`)}`,
  ].join('\n')
  return { zed: [{ title: 'API key', code: secret }], aider: [{ title: 'Terminal', code }] }
}

function buildToolsWithoutFiles({ baseUrl, secret, model }: SnippetInput): Omit<Snippet, 'group'>[] {
  const fields = [
    { title: 'Base URL', code: baseUrl },
    { title: 'API key', code: secret },
    { title: 'Model ID', code: model },
  ]
  return [
    {
      id: 'copilot',
      name: 'GitHub Copilot CLI',
      intro: 'With a custom provider it needs no GitHub account. It reads these variables when it starts.',
      blocks: [
        {
          title: 'Terminal',
          code: [
            `export COPILOT_PROVIDER_BASE_URL=${quoteShell(baseUrl)}`,
            `export COPILOT_PROVIDER_API_KEY=${quoteShell(secret)}`,
            `export COPILOT_MODEL=${quoteShell(model)}`,
            'copilot',
          ].join('\n'),
        },
      ],
    },
    {
      id: 'cline',
      name: 'Cline',
      intro:
        'In VS Code, choose the API provider “OpenAI Compatible” in Cline’s settings and fill in three fields. The command does the same for the CLI.',
      blocks: [
        ...fields,
        {
          title: 'Terminal',
          code: `cline auth -p openai-compatible -k ${quoteShell(secret)} -m ${quoteShell(model)} -b ${quoteShell(baseUrl)}`,
        },
      ],
    },
    {
      id: 'roo',
      name: 'Roo Code',
      intro:
        'In VS Code, choose the API provider “OpenAI Compatible” in Roo Code’s settings and fill in three fields.',
      blocks: fields,
    },
    {
      id: 'jetbrains',
      name: 'JetBrains IDEs',
      intro:
        'In the settings of the AI Assistant, add an OpenAI-compatible provider and fill in three fields.',
      blocks: [
        { title: 'URL', code: baseUrl },
        { title: 'API key', code: secret },
        { title: 'Model', code: model },
      ],
    },
    {
      id: 'cursor',
      name: 'Cursor',
      intro: null,
      caution:
        'Cursor is not supported: it sends requests from Cursor’s servers, which cannot reach this computer. Other tools of this list work in Cursor’s terminal.',
      blocks: [],
    },
  ]
}

// A configuration file as text to paste.

type Document = { readonly [name: string]: ConfigValue }

function toBlock(file: ConfigFile): SnippetBlock {
  return { title: `~/${file.path}`, code: writers[file.syntax](toDocument(file)) }
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
