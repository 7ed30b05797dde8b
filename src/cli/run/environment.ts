// The environment of a command that is to call the gateway with a key: the variables that each kind of client reads, without
// those that would win over them.
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
  plan?: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

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
  return {
    ...Object.fromEntries(kept),
    ...withoutProxy(parent),
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_BASE: baseUrl,
    OPENAI_API_KEY: secret,
    ...(model === null ? {} : { OPENAI_MODEL: model, AIDER_MODEL: `openai/${model}` }),
    // Qwen Code takes no provider from variables without a model.
    QWEN_MODEL: inputFor('qwen', target).model,
    ...(needsModel('gemini', target) ? { GEMINI_MODEL: inputFor('gemini', target).model } : {}),
    ...claudeVariables(target, parent),
    ...dotenvVariables(createFile('gemini', inputFor('gemini', target), '.gemini/.env')),
    ...openCodeVariables(target),
    ...copilotVariables(target),
    TOLLGATE_BASE_URL: baseUrl,
    TOLLGATE_API_KEY: secret,
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_KEY_ID: keyId,
    [RUN_KEY]: secret,
  }
}

/** The input for a tool's configuration in this run. */
export function inputFor(tool: string, { baseUrl, secret, models, model, plan }: RunTarget): ToolInput {
  return { baseUrl, secret, plan: plan === true, ...describeModels(models, tool, model) }
}

/** Whether the tool gets a model although the user named none: its own would not exist. */
export function needsModel(tool: string, { models, model }: RunTarget): boolean {
  return model !== null || !hasOwnModels(models, tool)
}

export function createFile(tool: string, input: ToolInput, path: string): ConfigFile {
  const file = findTool(tool)
    ?.files(input)
    .find((each) => each.path === path)
  if (!file) throw new Error(`the tool ${tool} has no file ${path}`)
  return file
}

const CUSTOM_HEADERS = 'ANTHROPIC_CUSTOM_HEADERS'

function claudeVariables(
  target: RunTarget,
  { [CUSTOM_HEADERS]: headers }: Environment,
): Record<string, string> {
  const { env } = toDocument(
    createFile('claude-code', inputFor('claude-code', target), '.claude/settings.json'),
  )
  const all = new Map(getTexts(env))
  if (!target.plan && !needsModel('claude-code', target))
    for (const name of all.keys()) if (name.endsWith('_MODEL')) all.delete(name)
  // A plan's key comes in a header, next to the user's own ones.
  const header = all.get(CUSTOM_HEADERS)
  if (header !== undefined && headers) all.set(CUSTOM_HEADERS, `${headers}\n${header}`)
  // Otherwise the endpoint, key and model in the user's own settings win over these.
  return { ...Object.fromEntries(all), CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '1' }
}

function dotenvVariables(file: ConfigFile): Record<string, string> {
  return Object.fromEntries(getTexts(toDocument(file)))
}

/** opencode and Kilo Code read a configuration that wins over their files. */
function openCodeVariables(target: RunTarget): Record<string, string> {
  const input = inputFor('opencode', target)
  const content = JSON.stringify(toDocument(createFile('opencode', input, '.config/opencode/opencode.json')))
  return { OPENCODE_CONFIG_CONTENT: content, KILO_CONFIG_CONTENT: content }
}

/** https://docs.github.com/copilot/how-tos/copilot-cli: it needs a model with its own provider. */
function copilotVariables(target: RunTarget): Record<string, string> {
  const { baseUrl, secret, model } = inputFor('copilot', target)
  return { COPILOT_PROVIDER_BASE_URL: baseUrl, COPILOT_PROVIDER_API_KEY: secret, COPILOT_MODEL: model }
}

function getTexts(value: ConfigValue | undefined): [string, string][] {
  return Object.entries(value ?? {}).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, text]] : [],
  )
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
