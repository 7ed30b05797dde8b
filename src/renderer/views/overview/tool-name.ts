// Owns what a calling program is called on the screen, and how its requests are found. Most say their own name; a few
// say what nobody would recognise.

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

/** `client`: the name that the program gave, without its version; blank when it gave none. */
export function toolName(client: string): string {
  return names.get(client) ?? client
}

/** What to search the requests for; null for programs that gave no name. */
export function toolSearch(client: string): string | null {
  if (client === '') return null
  // Browsers are told by what all of them begin with.
  return client === 'Browser' ? 'Mozilla' : client
}
