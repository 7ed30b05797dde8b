/** The coding agents whose logs `tollgate import` reads. */
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

export const HISTORY_TOOL_NAMES: Readonly<Record<HistoryTool, string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
  kilo: 'Kilo',
  qwen: 'Qwen Code',
  copilot: 'Copilot CLI',
  pi: 'pi',
  cline: 'Cline',
}

export function getHistoryToolName(id: string): string {
  const names: Readonly<Record<string, string>> = HISTORY_TOOL_NAMES
  return names[id] ?? id
}
