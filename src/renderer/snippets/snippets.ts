import type { ModelRecord } from '../../shared/models.ts'
import { buildAgentSnippets } from './agent-snippets.ts'
import { buildChatAppSnippets } from './chat-app-snippets.ts'
import { buildCodeSnippets } from './code-snippets.ts'
import { buildEditorSnippets } from './editor-snippets.ts'
import type { Snippet, SnippetInput } from './snippet.ts'

/** The base URL with the default port. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8655/v1'

/** Shown in place of a secret, which is available only when its key is created. */
export const SECRET_PLACEHOLDER = 'tg-…'

/**
 * The default model: the first of a real provider, preferably one with a known price, because a key with a cap cannot use
 * the others; otherwise the small sandbox model.
 */
export function pickModel(models: readonly Pick<ModelRecord, 'id' | 'provider' | 'pricing'>[]): string {
  const external = models.filter(({ provider }) => provider !== 'sandbox')
  return (external.find(({ pricing }) => pricing !== null) ?? external[0])?.id ?? 'sandbox-small'
}

export function buildSnippets(input: SnippetInput): Snippet[] {
  return [
    ...buildCodeSnippets(input),
    ...buildEditorSnippets(input),
    ...buildAgentSnippets(input),
    ...buildChatAppSnippets(input),
  ]
}
