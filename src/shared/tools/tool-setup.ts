// What the set-up of a tool shows, writes and undoes. The window gets it by IPC; the command has it in the same process.
import { z } from 'zod'
import { KeyName } from '../api/keys.ts'

/** Stands for the secret of a key that does not exist yet. */
export const SECRET_PLACEHOLDER = 'tg-…'

/** What a tool can get besides the gateway's address, its key and a model. */
export const TOOL_EXTRAS = {
  plan: {
    label: 'Let the plan pay',
    hint: 'The tool keeps the sign-in of its plan. Requests cost nothing, and you see what they are worth.',
  },
  mcp: {
    label: 'Let the agent ask about its costs',
    hint: 'With Tollgate’s MCP server it can ask what it has spent, what is left and what a task costs.',
  },
  git: {
    label: 'Record branches and commits',
    hint: 'Hooks tell Tollgate on which branch a session works, so that Usage shows what each branch and commit has cost.',
  },
} as const

export const ToolExtra = z.enum(['plan', 'mcp', 'git'])
export type ToolExtra = z.infer<typeof ToolExtra>

export const ToolChoice = z.object({
  tool: z.string(),
  /** Null: the model that suits the tool. */
  model: z.string().nullable(),
  extras: z.array(ToolExtra),
})
export type ToolChoice = z.infer<typeof ToolChoice>

const DiffLine = z.object({
  kind: z.enum(['same', 'added', 'removed', 'gap']),
  text: z.string(),
})
export type DiffLine = z.infer<typeof DiffLine>

const FilePreview = z.object({
  /** `~` is the home folder. */
  path: z.string(),
  /** Whether the file exists. */
  exists: z.boolean(),
  /** Why Tollgate does not write this file; null if it can. */
  problem: z.string().nullable(),
  /** What the user should know before it is written. */
  warnings: z.array(z.string()),
  diff: z.array(DiffLine),
})
export type FilePreview = z.infer<typeof FilePreview>

export const ToolPreview = z.object({
  choice: ToolChoice,
  name: z.string(),
  model: z.string(),
  files: z.array(FilePreview),
  /** The extras that the tool can get here. */
  offers: z.array(ToolExtra),
  /** The key that the files have already; null if one will be created. */
  keyName: z.string().nullable(),
  /** Identifies exactly these changes. */
  reviewed: z.string(),
})
export type ToolPreview = z.infer<typeof ToolPreview>

export const ToolApply = ToolChoice.extend({
  /** `ToolPreview.reviewed`: only what the user has seen is written. */
  reviewed: z.string(),
  keyName: KeyName,
  spendLimitUsd: z.number().nonnegative().nullable(),
})
export type ToolApply = z.infer<typeof ToolApply>

export const ToolOutcome = z.object({
  keyId: z.string(),
  secret: z.string(),
  /** The remaining steps for the user. */
  next: z.string(),
  /** The result of a call with the key, over the address that was written. */
  test: z.object({ passed: z.boolean(), message: z.string() }),
})
export type ToolOutcome = z.infer<typeof ToolOutcome>

export const ToolSetup = z.object({
  tool: z.string(),
  extras: z.array(ToolExtra),
  paths: z.array(z.string()),
  keyId: z.string(),
})
export type ToolSetup = z.infer<typeof ToolSetup>

export const UndoOutcome = z.object({
  /** Settings that somebody has changed since, which stay as they are: `model in ~/.codex/config.toml`. */
  kept: z.array(z.string()),
  /** Why files could not be restored; the setup then stays. */
  problems: z.array(z.string()),
  keyRevoked: z.boolean(),
})
export type UndoOutcome = z.infer<typeof UndoOutcome>
