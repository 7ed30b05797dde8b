// How a command is led to the gateway: the variables that each kind of client reads, without those that would win over them,
// and arguments for Codex, which reads none. No argument has the secret: every user of a computer sees them.
import { basename } from 'node:path'
import type { ModelRecord } from '../../shared/api/models.ts'
import {
  type ConfigFile,
  type ConfigValue,
  type ToolInput,
  toDocument,
} from '../../shared/tools/tool-config.ts'
import { describeModels, hasOwnModels } from '../../shared/tools/tool-models.ts'
import { findTool } from '../../shared/tools/tool-table.ts'
import { RUN_KEY } from './run-key.ts'

export interface RunTarget {
  /** Ends in `/v1`. */
  baseUrl: string
  secret: string
  keyId: string
  dataDir: string
  /** The models that the key may use. */
  models: readonly ModelRecord[]
  /** The one that the user named; null leaves the choice to the tool where it can. */
  model: string | null
  /** Whether Claude Code and Codex keep the sign-in of their plans. */
  plan: boolean
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The sign-in of a Claude plan, for computers without a browser. */
const PLAN_TOKEN = 'CLAUDE_CODE_OAUTH_TOKEN'

/** Other accounts, other endpoints and other kinds of authentication. */
const CLEARED = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_UNIX_SOCKET',
  PLAN_TOKEN,
  'CLAUDE_CODE_USE_ANTHROPIC_AWS',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_FOUNDRY',
  'CLAUDE_CODE_USE_VERTEX',
  'GOOGLE_API_KEY',
  'GOOGLE_GENAI_USE_GCA',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'OPENAI_API_TYPE',
]

/** A key would win over the sign-in of a plan. */
const CLEARED_FOR_PLAN = [...CLEARED.filter((name) => name !== PLAN_TOKEN), 'ANTHROPIC_AUTH_TOKEN']

export function childEnvironment(parent: Environment, target: RunTarget): Record<string, string | undefined> {
  const { baseUrl, secret, keyId, dataDir, model } = target
  const cleared = target.plan ? CLEARED_FOR_PLAN : CLEARED
  const kept = Object.entries(parent).filter(([name]) => !cleared.includes(name))
  const gemini = inputFor('gemini', target)
  const openCode = JSON.stringify(toDocument(createFiles('opencode', target)[0] ?? { changes: [] }))
  return {
    ...Object.fromEntries(kept),
    ...withoutProxy(parent),
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_BASE: baseUrl,
    OPENAI_API_KEY: secret,
    ...(model === null ? {} : { OPENAI_MODEL: model, AIDER_MODEL: `openai/${model}` }),
    // Qwen Code takes no provider from variables without a model.
    QWEN_MODEL: inputFor('qwen', target).model,
    ...toVariables(createFiles('gemini', target)[0]),
    ...(gemini.choosesModel ? {} : { GEMINI_MODEL: gemini.model }),
    ...claudeVariables(target, parent),
    // Both read a configuration that wins over their files.
    OPENCODE_CONFIG_CONTENT: openCode,
    KILO_CONFIG_CONTENT: openCode,
    // It needs a model with its own provider. https://docs.github.com/copilot/how-tos/copilot-cli
    COPILOT_PROVIDER_BASE_URL: baseUrl,
    COPILOT_PROVIDER_API_KEY: secret,
    COPILOT_MODEL: inputFor('copilot', target).model,
    TOLLGATE_BASE_URL: baseUrl,
    TOLLGATE_API_KEY: secret,
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_KEY_ID: keyId,
    [RUN_KEY]: secret,
  }
}

/** The input for a tool's configuration in this run. It chooses its model where the user named none and it has one here. */
export function inputFor(tool: string, { baseUrl, secret, models, model, plan }: RunTarget): ToolInput {
  const choosesModel = plan || (model === null && hasOwnModels(models, tool))
  return {
    ...describeModels(models, tool, model),
    baseUrl,
    secret,
    plan,
    choosesModel,
    keyVariable: RUN_KEY,
  }
}

/** The files that would be written for a tool of the table. */
export function createFiles(tool: string, target: RunTarget): readonly ConfigFile[] {
  return findTool(tool)?.files(inputFor(tool, target)) ?? []
}

/** The members of a file by their own names. */
function toVariables(file: ConfigFile | undefined): Record<string, string> {
  return Object.fromEntries((file?.changes ?? []).map(({ at, value }) => [at.at(-1) ?? '', String(value)]))
}

const CUSTOM_HEADERS = 'ANTHROPIC_CUSTOM_HEADERS'

function claudeVariables(target: RunTarget, { [CUSTOM_HEADERS]: headers }: Environment) {
  const variables = toVariables(createFiles('claude-code', target)[0])
  // A plan's key comes in a header, next to the user's own ones.
  const header = variables[CUSTOM_HEADERS]
  if (header !== undefined && headers) variables[CUSTOM_HEADERS] = `${headers}\n${header}`
  // Otherwise the endpoint, key and model in the user's own settings win over these.
  return { ...variables, CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '1' }
}

const PROXIES = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']
const LOCAL = '127.0.0.1,localhost'

/** A proxy cannot reach this computer. */
function withoutProxy(parent: Environment): Record<string, string> {
  if (!PROXIES.some((name) => parent[name])) return {}
  const names = ['NO_PROXY', 'no_proxy'].filter((name) => parent[name])
  const set = names.length > 0 ? names : ['NO_PROXY']
  return Object.fromEntries(set.map((name) => [name, parent[name] ? `${parent[name]},${LOCAL}` : LOCAL]))
}

/** `codex` for `/usr/local/bin/codex` and `codex.cmd`. */
export function programName(command: string): string {
  return basename(command.replaceAll('\\', '/'))
    .replace(/\.(exe|cmd|bat|ps1)$/i, '')
    .toLowerCase()
}

/**
 * The arguments of the command. Codex takes overrides of its configuration before its subcommand; those of the user come later,
 * and win. https://developers.openai.com/codex/config-advanced
 */
export function childArguments(
  command: string,
  args: readonly string[],
  target: RunTarget,
): readonly string[] {
  if (programName(command) !== 'codex') return args
  const changes = createFiles('codex', target)[0]?.changes ?? []
  return [...changes.flatMap(({ at, value }) => ['-c', `${at.join('.')}=${toToml(value)}`]), ...args]
}

/** A value in one line of TOML: JSON's strings, numbers and lists are TOML too. */
function toToml(value: ConfigValue): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(toToml).join(',')}]`
  return `{${Object.entries(value)
    .map(([name, member]) => `${/^[\w]+$/.test(name) ? name : JSON.stringify(name)}=${toToml(member)}`)
    .join(',')}}`
}
