// The configuration of tools that the desktop app writes. A browser cannot.
import type {
  ToolApply,
  ToolChoice,
  ToolOutcome,
  ToolPreview,
  UndoOutcome,
} from '../../shared/tools/tool-setup.ts'
import { throwDesktopError, useNewSecrets } from './mutations.ts'
import { queries } from './queries.ts'
import { query, refresh } from './query-client.ts'

/** Null in a browser. */
export const toolSetups = query(
  ['tool-setups'],
  async () => (await window.desktop?.listToolSetups().catch(throwDesktopError)) ?? null,
)

/** The files that would be written; null in a browser. */
export async function previewToolSetup(choice: ToolChoice): Promise<ToolPreview | null> {
  return (await window.desktop?.previewToolSetup(choice).catch(throwDesktopError)) ?? null
}

/** Throws ApiError, and has then changed nothing. */
export async function applyToolSetup(request: ToolApply): Promise<ToolOutcome | null> {
  const outcome = await window.desktop?.applyToolSetup(request).catch(throwDesktopError)
  if (!outcome) return null
  useNewSecrets.getState().addSecret(outcome.keyId, outcome.secret)
  await Promise.all([refresh(toolSetups), refresh(queries.keys)])
  return outcome
}

export async function undoToolSetup(tool: string): Promise<UndoOutcome | null> {
  const outcome = await window.desktop?.undoToolSetup(tool).catch(throwDesktopError)
  await Promise.all([refresh(toolSetups), refresh(queries.keys)])
  return outcome ?? null
}
