// Whether a tool is signed in to a plan of its vendor, as far as its files say. They are only looked at for a mark of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Surroundings } from './config-path.ts'

interface PlanTool {
  /** The variable with a sign-in; the tool reads it instead of its files. */
  variable?: string
  folder: { name: string; variable: string }
  /** macOS keeps that of Claude Code in its keychain. */
  file: string
  mark: RegExp
}

const tools: Readonly<Record<string, PlanTool>> = {
  'claude-plan': {
    variable: 'CLAUDE_CODE_OAUTH_TOKEN',
    folder: { name: '.claude', variable: 'CLAUDE_CONFIG_DIR' },
    file: '.credentials.json',
    mark: /"claudeAiOauth"/,
  },
  'chatgpt-plan': {
    folder: { name: '.codex', variable: 'CODEX_HOME' },
    file: 'auth.json',
    mark: /"access_token": *"[^"]/,
  },
}

/** `plan`: the provider of the plan. */
export function isSignedIn(plan: string, { home, env }: Pick<Surroundings, 'home' | 'env'>): boolean {
  const tool = tools[plan]
  if (!tool) return false
  if (tool.variable !== undefined && env[tool.variable]) return true
  const folder = env[tool.folder.variable] || join(home, tool.folder.name)
  try {
    return tool.mark.test(readFileSync(join(folder, tool.file), 'utf8'))
  } catch {
    return false
  }
}
