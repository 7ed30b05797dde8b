// The reports of the desktop app when it writes the configuration of a tool.
import { z } from 'zod'
import { KeyName } from '../api/keys.ts'

/** Stands for a secret that does not exist yet, or is not known. */
export const SECRET_PLACEHOLDER = 'tg-…'

export const ToolChoice = z.object({
  tool: z.string(),
  /** Null: the model that suits the tool. */
  model: z.string().nullable(),
  /** Whether the tool also gets the MCP server, where it can have one. */
  mcp: z.boolean(),
  /** Whether the tool also gets the hook that records branches and commits, where it can have one. */
  git: z.boolean().optional(),
  /** Whether the tool keeps the sign-in of its vendor's plan, where it can. */
  plan: z.boolean().optional(),
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
  exists: z.boolean(),
  /** False where the tool was probably never started. */
  hasFolder: z.boolean(),
  /** Other users of the computer may read the file, which will have the key. */
  readableByOthers: z.boolean(),
  /** Why Tollgate does not write this file; null if it can. */
  problem: z.string().nullable(),
  diff: z.array(DiffLine),
})
export type FilePreview = z.infer<typeof FilePreview>

export const ToolPreview = z.object({
  tool: z.string(),
  name: z.string(),
  model: z.string(),
  files: z.array(FilePreview),
  /** Whether the MCP server is among the changes; null where it cannot be offered. */
  mcp: z.boolean().nullable(),
  /** The same of the hook that records branches and commits. */
  git: z.boolean().nullable(),
  /** Whether the tool keeps its sign-in, and has one as far as is known; null where no plan can pay. */
  plan: z.object({ on: z.boolean(), isSignedIn: z.boolean() }).nullable(),
  /** The key that the file has already; null if one will be created. */
  keyName: z.string().nullable(),
  /** The remaining steps for the user. */
  next: z.string(),
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
  next: z.string(),
  /** The result of a call with the key, over the address that was written. */
  test: z.object({ passed: z.boolean(), message: z.string() }),
})
export type ToolOutcome = z.infer<typeof ToolOutcome>

export const ToolSetup = z.object({
  tool: z.string(),
  model: z.string(),
  at: z.iso.datetime(),
  mcp: z.boolean(),
  git: z.boolean(),
  paths: z.array(z.string()),
  keyId: z.string(),
})
export type ToolSetup = z.infer<typeof ToolSetup>

export const UndoOutcome = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      outcome: z.enum(['restored', 'removed', 'edited', 'missing', 'failed']),
      /** Settings that somebody has changed since, which stay as they are. */
      kept: z.array(z.string()),
      problem: z.string().nullable(),
    }),
  ),
  keyRevoked: z.boolean(),
})
export type UndoOutcome = z.infer<typeof UndoOutcome>
