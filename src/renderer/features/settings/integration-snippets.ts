// The configuration with which other programs read from Tollgate.

const ORIGIN = 'http://127.0.0.1:8655'
const KEY = 'tg-…'

/** `baseUrl` ends in `/v1`. */
export function prometheusConfig(baseUrl: string): string {
  const { host } = new URL(baseUrl)
  return `scrape_configs:
  - job_name: tollgate
    authorization:
      credentials: ${KEY}
    static_configs:
      - targets: ["${host}"]
`
}

export const MCP_TOOLS = [
  { value: 'claude-code', label: 'Claude Code' },
  { value: 'codex', label: 'Codex' },
  { value: 'opencode', label: 'opencode' },
] as const
export type McpTool = (typeof MCP_TOOLS)[number]['value']

interface McpSnippet {
  title: string
  code: string
}

/** How each tool starts `tollgate mcp`. The address is needed only where it is not the usual one. */
export const mcpSnippets: Readonly<Record<McpTool, (baseUrl: string | null) => McpSnippet>> = {
  'claude-code': (baseUrl) => ({
    title: 'Terminal',
    code: `claude mcp add tollgate${environment(baseUrl)
      .map(([name, value]) => ` \\\n  --env ${name}=${value}`)
      .join('')} \\
  -- tollgate mcp
`,
  }),
  codex: (baseUrl) => ({
    title: '~/.codex/config.toml',
    code: `[mcp_servers.tollgate]
command = "tollgate"
args = ["mcp"]
env = { ${environment(baseUrl)
      .map(([name, value]) => `${name} = "${value}"`)
      .join(', ')} }
`,
  }),
  opencode: (baseUrl) => ({
    title: 'opencode.json',
    code: `${JSON.stringify(
      {
        mcp: {
          tollgate: {
            type: 'local',
            command: ['tollgate', 'mcp'],
            environment: Object.fromEntries(environment(baseUrl)),
          },
        },
      },
      null,
      2,
    )}
`,
  }),
}

function environment(baseUrl: string | null): [string, string][] {
  const origin = baseUrl === null ? ORIGIN : new URL(baseUrl).origin
  const address: [string, string][] = origin === ORIGIN ? [] : [['TOLLGATE_BASE_URL', origin]]
  return [['TOLLGATE_API_KEY', KEY], ...address]
}
