/** The names by which coding agents call themselves; `-` and `_` are the same. */
const AGENTS =
  /^(claude|codex|opencode|gemini-?cli|qwen-?code|kilo-?code|cline|roo-?code|aider|goose|crush|charm|cursor|zed|continue|pi|amp|droid|copilot)([-_/ ]|$)/i

/** Whether a program is an agent that people also use with a flat subscription. `client`: its name, without a version. */
export function isAgent(client: string): boolean {
  return AGENTS.test(client)
}
