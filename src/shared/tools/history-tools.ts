/** The coding agents whose logs `tollgate history` reads. */
export const HISTORY_TOOLS = [
  'claude-code',
  'codex',
  'gemini',
  'opencode',
  'kilo',
  'qwen',
  'copilot',
  'pi',
  'cline',
] as const
export type HistoryTool = (typeof HISTORY_TOOLS)[number]
