import { buildAgentSnippets } from './agent-snippets.ts'
import { buildChatAppSnippets } from './chat-app-snippets.ts'
import { buildCodeSnippets } from './code-snippets.ts'
import type { Snippet, SnippetInput } from './snippet.ts'

/** The base URL with the default port. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8655/v1'

/** The most used tools first. */
export function buildSnippets(input: SnippetInput): Snippet[] {
  return [...buildAgentSnippets(input), ...buildCodeSnippets(input), ...buildChatAppSnippets(input)]
}
