// How tools start Tollgate's server of the Model Context Protocol: the entry in the configuration of each that has one.
import type { ConfigFile, ConfigValue } from './tool-config.ts'

export interface McpServer {
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
}

const NAME = 'tollgate'

const opencodeEntry = ({ command, args, env }: McpServer): ConfigFile['changes'] => [
  {
    at: ['mcp', NAME],
    value: { type: 'local', command: [command, ...args], enabled: true, environment: { ...env } },
  },
]

/** In the place `at`; most tools have the same members. */
const entryAt =
  (at: string, more: Readonly<Record<string, ConfigValue>> = {}) =>
  ({ command, args, env }: McpServer): ConfigFile['changes'] => [
    { at: [at, NAME], value: { ...more, command, args: [...args], env: { ...env } } },
  ]

interface McpPlace extends Pick<ConfigFile, 'path' | 'syntax'> {
  /** Where the vendor documents it. */
  docs: string
  changes(server: McpServer): ConfigFile['changes']
}

const places: Readonly<Record<string, McpPlace>> = {
  'claude-code': {
    // The servers for all projects of the user.
    path: '.claude.json',
    syntax: 'json',
    docs: 'https://code.claude.com/docs/en/mcp',
    changes: entryAt('mcpServers', { type: 'stdio' }),
  },
  codex: {
    path: '.codex/config.toml',
    syntax: 'toml',
    docs: 'https://developers.openai.com/codex/mcp',
    changes: entryAt('mcp_servers'),
  },
  gemini: {
    path: '.gemini/settings.json',
    syntax: 'json',
    docs: 'https://geminicli.com/docs/tools/mcp-server',
    changes: entryAt('mcpServers'),
  },
  opencode: {
    path: '.config/opencode/opencode.json',
    syntax: 'json',
    docs: 'https://opencode.ai/docs/mcp-servers',
    changes: opencodeEntry,
  },
  kilo: {
    path: '.config/kilo/kilo.json',
    syntax: 'json',
    docs: 'https://kilo.ai/docs/features/mcp/using-mcp-in-cli',
    changes: opencodeEntry,
  },
  continue: {
    path: '.continue/config.yaml',
    syntax: 'yaml',
    docs: 'https://docs.continue.dev/customize/deep-dives/mcp',
    changes: ({ command, args, env }) => [
      {
        at: ['mcpServers'],
        itemBy: 'name',
        value: { name: 'Tollgate', type: 'stdio', command, args: [...args], env: { ...env } },
      },
    ],
  },
  zed: {
    path: '.config/zed/settings.json',
    syntax: 'json',
    docs: 'https://zed.dev/docs/ai/mcp',
    changes: entryAt('context_servers'),
  },
  qwen: {
    path: '.qwen/settings.json',
    syntax: 'json',
    docs: 'https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp',
    changes: entryAt('mcpServers'),
  },
}

/** Whether the tool has a documented place for such servers. */
export function takesMcpServer(tool: string): boolean {
  return tool in places
}

/** The files of a tool with the server's entry in them; with null, they include the file that had an entry. */
export function withMcpServer(
  tool: string,
  files: readonly ConfigFile[],
  server: McpServer | null,
): readonly ConfigFile[] {
  const place = places[tool]
  if (!place) return files
  const { path, syntax } = place
  const changes = server ? place.changes(server) : []
  return files.some((file) => file.path === path)
    ? files.map((file) => (file.path === path ? { ...file, changes: [...file.changes, ...changes] } : file))
    : [...files, { path, syntax, changes }]
}
