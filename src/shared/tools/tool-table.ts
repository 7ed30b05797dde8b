// The tools whose configuration files are documented, and what each needs there to call the gateway. `docs` is the source.
import {
  type ConfigFile,
  type ConfigValue,
  getOrigin,
  type McpServer,
  type ToolInput,
} from './tool-config.ts'

export interface ToolRow {
  id: string
  name: string
  /** Where the vendor documents the files. */
  docs: string
  files(input: ToolInput): readonly ConfigFile[]
  /** The provider of the plan whose sign-in the tool has. */
  plan?: string
  /** Whether its files can have hooks that report where a session works. */
  hasHooks?: boolean
  /** Where it has its servers of the Model Context Protocol. */
  mcp?: McpPlace
  /** How the texts of the files are entered by hand. */
  intro: string
  /** The remaining steps after the files are written. */
  next: string
}

interface McpPlace {
  /** One of the tool's files, or one of JSON. */
  path: string
  /** The servers by their names, or a list of them. */
  at: string
  /** The entry of a list is found by its name. */
  isList?: true
  describe?(server: McpServer): Record<string, ConfigValue>
}

/** The form that most tools share. */
const describeServer = ({ command, args, env }: McpServer) => ({
  command,
  args: [...args],
  env: { ...env },
})

const describeStdioServer = (server: McpServer) => ({ type: 'stdio', ...describeServer(server) })

const describeLocalServer = ({ command, args, env }: McpServer) => ({
  type: 'local',
  command: [command, ...args],
  enabled: true,
  environment: { ...env },
})

const MERGE = 'Merge this into the file.'

/** The variable in which tools read the key. */
const KEY_VARIABLE = 'TOLLGATE_API_KEY'

export const configurableTools: readonly ToolRow[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    docs: 'https://code.claude.com/docs/en/llm-gateway',
    plan: 'claude-plan',
    hasHooks: true,
    // https://code.claude.com/docs/en/mcp
    mcp: { path: '.claude.json', at: 'mcpServers', describe: describeStdioServer },
    files: ({ baseUrl, secret, model, smallModel, plan, choosesModel, gitHook }) => [
      {
        path: '.claude/settings.json',
        syntax: 'json',
        changes: [
          ...Object.entries({
            ANTHROPIC_BASE_URL: getOrigin(baseUrl),
            ...(plan
              ? { ANTHROPIC_CUSTOM_HEADERS: `x-tollgate-key: ${secret}` }
              : { ANTHROPIC_AUTH_TOKEN: secret }),
            ...(plan || choosesModel
              ? {}
              : {
                  ANTHROPIC_MODEL: model,
                  ANTHROPIC_DEFAULT_OPUS_MODEL: model,
                  ANTHROPIC_DEFAULT_SONNET_MODEL: model,
                  ANTHROPIC_DEFAULT_FABLE_MODEL: model,
                  ANTHROPIC_DEFAULT_HAIKU_MODEL: smallModel ?? model,
                }),
            // It then says which agent a request is of, and what its tools took.
            CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1',
          }).map(([name, value]) => ({ at: ['env', name], value })),
          // At the start and the end of a session, and of each turn. https://code.claude.com/docs/en/hooks
          ...(gitHook === undefined ? [] : ['SessionStart', 'Stop', 'SessionEnd']).map((event) => ({
            at: ['hooks', event],
            itemBy: 'hooks',
            value: { hooks: [{ type: 'command', command: gitHook ?? '' }] },
          })),
        ],
      },
    ],
    intro:
      'Merge this into the file. The base URL has no /v1: Claude Code adds it. Models of other vendors work too.',
    next: 'Start claude again. /status shows the base URL.',
  },
  {
    id: 'codex',
    name: 'Codex',
    docs: 'https://developers.openai.com/codex/config-advanced',
    plan: 'chatgpt-plan',
    // https://developers.openai.com/codex/mcp
    mcp: { path: '.codex/config.toml', at: 'mcp_servers' },
    files: ({
      baseUrl,
      secret,
      model,
      limits,
      searches = true,
      plan,
      choosesModel = plan,
      keyVariable = KEY_VARIABLE,
    }) => [
      {
        path: '.codex/config.toml',
        syntax: 'toml',
        changes: [
          ...(choosesModel ? [] : [{ at: ['model'], value: model }]),
          // Codex does not know the size of other vendors' models.
          ...(limits && !choosesModel ? [{ at: ['model_context_window'], value: limits.context }] : []),
          // It offers the model OpenAI's tool by default.
          ...(searches || plan ? [] : [{ at: ['web_search'], value: 'disabled' }]),
          { at: ['model_provider'], value: 'tollgate' },
          {
            at: ['model_providers', 'tollgate'],
            value: {
              name: 'Tollgate',
              base_url: baseUrl,
              ...(plan
                ? { requires_openai_auth: true, env_http_headers: { 'x-tollgate-key': keyVariable } }
                : { env_key: keyVariable }),
              wire_api: 'responses',
              // Over a WebSocket, Codex repeats a turn ten times that a cap has refused (0.169).
              supports_websockets: false,
            },
          },
        ],
      },
      { path: '.codex/.env', syntax: 'dotenv', changes: [{ at: [keyVariable], value: secret }] },
    ],
    intro:
      'Merge the first text into the file: model and model_provider belong above its first table. The key goes into the second file, which Codex reads when it starts.',
    next: 'Start codex again. It reads both files only when it starts.',
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    docs: 'https://geminicli.com/docs/reference/configuration',
    // https://geminicli.com/docs/tools/mcp-server
    mcp: { path: '.gemini/settings.json', at: 'mcpServers' },
    files: ({ baseUrl, secret, model, choosesModel }) => [
      {
        path: '.gemini/.env',
        syntax: 'dotenv',
        changes: [
          { at: ['GEMINI_API_KEY'], value: secret },
          { at: ['GOOGLE_GEMINI_BASE_URL'], value: getOrigin(baseUrl) },
        ],
      },
      {
        path: '.gemini/settings.json',
        syntax: 'json',
        changes: [
          { at: ['security', 'auth', 'selectedType'], value: 'gemini-api-key' },
          ...(choosesModel ? [] : [{ at: ['model', 'name'], value: model }]),
        ],
      },
    ],
    intro:
      'The base URL has no /v1: Gemini CLI adds the version. In a folder with a .env file it reads that file instead of the first one.',
    next: 'Start gemini again. In a folder with a .env file, Gemini CLI reads that file instead.',
  },
  {
    id: 'opencode',
    name: 'opencode',
    docs: 'https://opencode.ai/docs/config',
    // https://opencode.ai/docs/mcp-servers
    mcp: { path: '.config/opencode/opencode.json', at: 'mcp', describe: describeLocalServer },
    files: (input) => [
      {
        path: '.config/opencode/opencode.json',
        otherPaths: ['.config/opencode/opencode.jsonc'],
        syntax: 'json',
        initial: { $schema: 'https://opencode.ai/config.json' },
        changes: openCodeChanges(input),
      },
    ],
    intro: 'Merge this into the file, or into the opencode.json of a project.',
    next: 'Start opencode again. A project’s own opencode.json takes precedence.',
  },
  {
    id: 'kilo',
    name: 'Kilo Code',
    docs: 'https://kilo.ai/docs/cli',
    // https://kilo.ai/docs/features/mcp/using-mcp-in-cli
    mcp: { path: '.config/kilo/kilo.json', at: 'mcp', describe: describeLocalServer },
    files: (input) => [
      {
        path: '.config/kilo/kilo.json',
        otherPaths: ['.config/kilo/kilo.jsonc'],
        syntax: 'json',
        initial: { $schema: 'https://app.kilo.ai/config.json' },
        changes: openCodeChanges(input),
      },
    ],
    intro:
      'For the CLI: merge this into the file. In VS Code, add a custom OpenAI-compatible provider with the same three values.',
    next: 'Start kilo again.',
  },
  {
    id: 'continue',
    name: 'Continue',
    docs: 'https://docs.continue.dev/reference',
    // https://docs.continue.dev/customize/deep-dives/mcp
    mcp: { path: '.continue/config.yaml', at: 'mcpServers', isList: true, describe: describeStdioServer },
    files: ({ baseUrl, secret, model }) => [
      {
        path: '.continue/config.yaml',
        syntax: 'yaml',
        initial: { name: 'Tollgate', version: '1.0.0', schema: 'v1' },
        changes: [
          {
            at: ['models'],
            itemBy: 'name',
            value: {
              name: `${model} (Tollgate)`,
              provider: 'openai',
              model,
              apiBase: baseUrl,
              apiKey: secret,
              roles: ['chat', 'edit', 'apply'],
            },
          },
        ],
      },
    ],
    intro: 'Add the model to your configuration file.',
    next: 'Choose the model in Continue’s model menu.',
  },
  {
    id: 'zed',
    name: 'Zed',
    docs: 'https://zed.dev/docs/ai/use-api-access',
    // https://zed.dev/docs/ai/mcp
    mcp: { path: '.config/zed/settings.json', at: 'context_servers' },
    files: ({ baseUrl, model, limits }) => [
      {
        path: '.config/zed/settings.json',
        windowsPath: 'AppData/Roaming/Zed/settings.json',
        syntax: 'json',
        changes: [
          {
            at: ['language_models', 'openai_compatible', 'Tollgate'],
            value: {
              api_url: baseUrl,
              available_models: [
                { name: model, display_name: `${model} (Tollgate)`, max_tokens: limits?.context ?? 128_000 },
              ],
            },
          },
        ],
      },
    ],
    intro:
      'Merge this into your settings. Zed does not read keys from there: enter the key under LLM Providers in the agent settings.',
    next: 'Zed does not read keys from this file: enter the key under LLM Providers in the agent settings.',
  },
  {
    id: 'qwen',
    name: 'Qwen Code',
    docs: 'https://qwenlm.github.io/qwen-code-docs/en/users/configuration/model-providers',
    // https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp
    mcp: { path: '.qwen/settings.json', at: 'mcpServers' },
    files: ({ baseUrl, secret, model, choosesModel }) => [
      {
        path: '.qwen/settings.json',
        syntax: 'json',
        changes: [
          { at: ['env', KEY_VARIABLE], value: secret },
          {
            at: ['modelProviders', 'openai'],
            itemBy: 'envKey',
            value: { id: model, name: `${model} (Tollgate)`, baseUrl, envKey: KEY_VARIABLE },
          },
          { at: ['security', 'auth', 'selectedType'], value: 'openai' },
          ...(choosesModel ? [] : [{ at: ['model', 'name'], value: model }]),
        ],
      },
    ],
    intro: MERGE,
    next: 'Start qwen again.',
  },
  {
    id: 'aider',
    name: 'Aider',
    docs: 'https://aider.chat/docs/config/aider_conf.html',
    files: ({ baseUrl, secret, model }) => [
      {
        path: '.aider.conf.yml',
        syntax: 'yaml',
        changes: [
          { at: ['openai-api-base'], value: baseUrl },
          { at: ['openai-api-key'], value: secret },
          { at: ['model'], value: `openai/${model}` },
        ],
      },
    ],
    intro:
      'Merge the first text into the file, or use the commands in one terminal. The openai/ prefix selects the API format in Aider; it is not part of the model’s name.',
    next: 'Start aider again. A project’s own .aider.conf.yml takes precedence.',
  },
  {
    id: 'crush',
    name: 'Crush',
    docs: 'https://github.com/charmbracelet/crush',
    files: ({ baseUrl, secret, model, smallModel, limits }) => {
      const ids = [...new Set([model, smallModel ?? model])]
      const sizes = limits ? { context_window: limits.context, default_max_tokens: limits.output } : {}
      return [
        {
          path: '.config/crush/crush.json',
          windowsPath: 'AppData/Local/crush/crush.json',
          syntax: 'json',
          initial: { $schema: 'https://charm.land/crush.json' },
          changes: [
            {
              at: ['providers', 'tollgate'],
              value: {
                name: 'Tollgate',
                type: 'openai-compat',
                base_url: baseUrl,
                api_key: secret,
                models: ids.map((id) => ({ id, name: id, ...(id === model ? sizes : {}) })),
              },
            },
            { at: ['models', 'large'], value: { provider: 'tollgate', model } },
            { at: ['models', 'small'], value: { provider: 'tollgate', model: smallModel ?? model } },
          ],
        },
      ]
    },
    intro: MERGE,
    next: 'Start crush again.',
  },
  {
    id: 'pi',
    name: 'pi',
    docs: 'https://github.com/earendil-works/pi/blob/main/packages/coding-agent/docs/settings.md',
    files: ({ baseUrl, secret, model, limits }) => [
      {
        path: '.pi/agent/models.json',
        syntax: 'json',
        changes: [
          {
            at: ['providers', 'tollgate'],
            value: {
              baseUrl,
              api: 'openai-completions',
              apiKey: secret,
              models: [
                { id: model, ...(limits ? { contextWindow: limits.context, maxTokens: limits.output } : {}) },
              ],
            },
          },
        ],
      },
      {
        path: '.pi/agent/settings.json',
        syntax: 'json',
        changes: [
          { at: ['defaultProvider'], value: 'tollgate' },
          { at: ['defaultModel'], value: model },
        ],
      },
    ],
    intro: 'Merge each text into its file.',
    next: 'Start pi again.',
  },
]

export function findTool(id: string): ToolRow | null {
  return configurableTools.find((tool) => tool.id === id) ?? null
}

/** The files of a tool, with Tollgate's MCP server in their place for it if there is one in the input. */
export function listFiles({ files, mcp }: ToolRow, input: ToolInput): readonly ConfigFile[] {
  const { mcpServer } = input
  const all = files(input)
  if (!mcp || !mcpServer) return all
  const { path, at, isList, describe = describeServer } = mcp
  const change = isList
    ? { at: [at], itemBy: 'name', value: { name: 'Tollgate', ...describe(mcpServer) } }
    : { at: [at, 'tollgate'], value: describe(mcpServer) }
  return all.some((file) => file.path === path)
    ? all.map((file) => (file.path === path ? { ...file, changes: [...file.changes, change] } : file))
    : [...all, { path, syntax: 'json', changes: [change] }]
}

/** opencode's members, which Kilo Code shares. */
function openCodeChanges({ baseUrl, secret, model, limits }: ToolInput): ConfigFile['changes'] {
  const entry: ConfigValue = limits ? { name: model, limit: { ...limits } } : { name: model }
  return [
    {
      at: ['provider', 'tollgate'],
      value: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Tollgate',
        options: { baseURL: baseUrl, apiKey: secret },
        models: { [model]: entry },
      },
    },
    { at: ['model'], value: `tollgate/${model}` },
  ]
}
