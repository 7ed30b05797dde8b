// Whether a tool is signed in to a plan of its vendor, as far as its files say, and who pays then. The files are only looked at for a
// mark of it.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { PLAN_VENDORS } from '../shared/api/terms.ts'
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

/** Asks who pays, if the tool of the plan is signed in and somebody is at the terminal; else the key does. */
export async function askForPlan(plan: string | undefined): Promise<boolean> {
  const surroundings = { home: homedir(), env: process.env }
  if (plan === undefined || !process.stdin.isTTY || !isSignedIn(plan, surroundings)) return false
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const question = `Signed in to a ${PLAN_VENDORS[plan]} plan. Who pays: the plan, or a Tollgate key? [key] `
    return /^p/i.test((await lines.question(question)).trim())
  } finally {
    lines.close()
  }
}
