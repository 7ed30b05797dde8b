/** A command that makes a tool of the terminal send one request, as each tool documents it. */
const commands: Readonly<Record<string, string>> = {
  aider: 'aider --message "Say hello" --no-git',
  'claude-code': 'claude -p "Say hello"',
  codex: 'codex exec --skip-git-repo-check "Say hello"',
  copilot: 'copilot -p "Say hello"',
  crush: 'crush run "Say hello"',
  gemini: 'gemini -p "Say hello"',
  opencode: 'opencode run "Say hello"',
  pi: 'pi -p "Say hello"',
  qwen: 'qwen -p "Say hello"',
}

/** Null for a tool that is tested by using it. */
export function testCommand(tool: string): string | null {
  return commands[tool] ?? null
}
