/** The names of programs whose own name few would recognize. */
const names: ReadonlyMap<string, string> = new Map([
  ['', 'Unknown'],
  ['Anthropic/JS', 'Anthropic for JavaScript'],
  ['Anthropic/Python', 'Anthropic for Python'],
  ['ai-sdk', 'Vercel AI SDK'],
  ['ai-sdk/openai-compatible', 'Vercel AI SDK, OpenAI-compatible'],
  ['AsyncOpenAI/Python', 'OpenAI for Python, async'],
  ['claude-cli', 'Claude Code'],
  ['codex_cli_rs', 'Codex'],
  ['Kilo-Code', 'Kilo Code'],
  ['langchainjs-openai', 'LangChain for JavaScript'],
  ['node', 'Node'],
  ['OpenAI/JS', 'OpenAI for JavaScript'],
  ['OpenAI/Python', 'OpenAI for Python'],
  ['QwenCode', 'Qwen Code'],
  ['tollgate', 'Tollgate’s playground'],
  ['undici', 'Node'],
])

/** `client`: the name that the program sent, without its version; blank when it sent none. */
export function getToolName(client: string): string {
  return names.get(client) ?? client
}

/** Whether a program is a tool of Connect, by the name that either has. */
export function isTool(client: string | null, { id, name }: { id: string; name: string }): boolean {
  if (client === null) return false
  const [first = ''] = client.toLowerCase().split(/[^a-z0-9]/)
  const own = simplify(getToolName(client))
  return own === simplify(name) || own === simplify(id) || first === id
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
