// How a tool is configured to call the gateway: which members of which files, in which syntax. The Connect view shows them as
// text to paste; `src/tool-setup` writes them.

export type ConfigValue =
  | string
  | number
  | boolean
  | readonly ConfigValue[]
  | { readonly [name: string]: ConfigValue }

/** One member of a file. */
interface ConfigChange {
  /** The names that lead to the member. */
  at: readonly string[]
  value: ConfigValue
  /** `at` is a list, and `value` the item of it in which this member has the same value. */
  itemBy?: string
}

export type ConfigSyntax = 'json' | 'yaml' | 'toml' | 'dotenv'

export interface ConfigFile {
  /** Below the home folder, with slashes: `.codex/config.toml`. */
  path: string
  /** Other names of the file; the tool reads the first that exists. */
  otherPaths?: readonly string[]
  /** Where Windows has it: below `AppData/Roaming` or `AppData/Local` of the home folder. */
  windowsPath?: string
  syntax: ConfigSyntax
  changes: readonly ConfigChange[]
  /** Members that a new file also needs. */
  initial?: Readonly<Record<string, ConfigValue>>
}

/** How a tool starts Tollgate's server of the Model Context Protocol. */
export interface McpServer {
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
}

export interface ToolInput {
  /** Ends in `/v1`. */
  baseUrl: string
  secret: string
  model: string
  /** A cheaper model for small tasks; the same model if absent. */
  smallModel?: string
  /** The limits in tokens, where both are known. */
  limits?: { context: number; output: number } | undefined
  /** Whether searches of the web by the provider's own tool have a price; a capped key cannot use it otherwise. */
  searches?: boolean
  /** The command that records branches and commits, for a tool that has hooks. */
  gitHook?: string | undefined
  /** For a tool that takes MCP servers. */
  mcpServer?: McpServer | undefined
  /** Whether the tool keeps the sign-in of its vendor's plan; the key then comes in a header of its own. */
  plan?: boolean
  /** Whether the tool chooses its models itself, as it does with a plan. */
  choosesModel?: boolean
  /** The variable in which a tool reads the key that takes it from none of its files. */
  keyVariable?: string
}

/** The base URL without `/v1`, for SDKs that add the version themselves. */
export function getOrigin(baseUrl: string): string {
  return baseUrl.replace(/\/v1$/, '')
}

/** The content of a file that has only these members. */
export function toDocument({ changes, initial = {} }: Pick<ConfigFile, 'changes' | 'initial'>): {
  [name: string]: ConfigValue
} {
  let document: { [name: string]: ConfigValue } = { ...initial }
  for (const { at, value, itemBy } of changes) {
    document = withMember(document, at, itemBy === undefined ? value : [value])
  }
  return document
}

function withMember(
  object: { readonly [name: string]: ConfigValue },
  at: readonly string[],
  value: ConfigValue,
): { [name: string]: ConfigValue } {
  const [name = '', ...rest] = at
  if (rest.length === 0) return { ...object, [name]: value }
  const inner = object[name]
  return { ...object, [name]: withMember(isConfigObject(inner) ? inner : {}, rest, value) }
}

export function isConfigObject(
  value: ConfigValue | undefined,
): value is { readonly [name: string]: ConfigValue } {
  return typeof value === 'object' && !Array.isArray(value)
}
