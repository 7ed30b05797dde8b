// The arguments of commands that do not find the gateway by variables alone.
import { basename } from 'node:path'
import { type ConfigValue, toDocument } from '../../shared/tools/tool-config.ts'
import { createFile, inputFor, needsModel, type RunTarget } from './environment.ts'
import { RUN_KEY } from './run-key.ts'

/** The command with what it needs to call the gateway. No argument has the secret: every user of a computer sees them. */
export function childArguments(
  command: string,
  args: readonly string[],
  target: RunTarget,
): readonly string[] {
  return programName(command) === 'codex' ? [...codexOverrides(target), ...args] : args
}

/** `codex` for `/usr/local/bin/codex` and `codex.cmd`. */
export function programName(command: string): string {
  return basename(command.replaceAll('\\', '/'))
    .replace(/\.(exe|cmd|bat|ps1)$/i, '')
    .toLowerCase()
}

/**
 * Codex takes overrides of its configuration before its subcommand; those of the user come later, and win.
 * https://developers.openai.com/codex/config-advanced
 */
function codexOverrides(target: RunTarget): string[] {
  const input = inputFor('codex', target)
  const document = toDocument(createFile('codex', input, '.codex/config.toml'))
  const { model, model_context_window: window, web_search, model_provider, model_providers } = document
  const provider = getMember(model_providers, 'tollgate')
  const isNamed = needsModel('codex', target) && model !== undefined
  const key = target.plan ? { env_http_headers: { 'x-tollgate-key': RUN_KEY } } : { env_key: RUN_KEY }
  const named = isNamed ? [`model=${toToml(model)}`] : []
  if (isNamed && window !== undefined) named.push(`model_context_window=${toToml(window)}`)
  const overrides = [
    ...named,
    ...(web_search === undefined ? [] : [`web_search=${toToml(web_search)}`]),
    `model_provider=${toToml(model_provider ?? 'tollgate')}`,
    `model_providers.tollgate=${toToml({ ...provider, ...key })}`,
  ]
  return overrides.flatMap((override) => ['-c', override])
}

function getMember(value: ConfigValue | undefined, name: string): Readonly<Record<string, ConfigValue>> {
  for (const [key, member] of Object.entries(value ?? {})) {
    if (key === name && typeof member === 'object' && !Array.isArray(member)) return { ...member }
  }
  return {}
}

/** A value in one line of TOML: JSON's strings, numbers and lists are TOML too. */
function toToml(value: ConfigValue): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(toToml).join(',')}]`
  return `{${Object.entries(value)
    .map(([name, member]) => `${/^[\w]+$/.test(name) ? name : JSON.stringify(name)}=${toToml(member)}`)
    .join(',')}}`
}
