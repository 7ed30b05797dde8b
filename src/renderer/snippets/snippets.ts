// Owns what to paste into each tool so that it calls this gateway. Pure text: knows nothing of the screen.
import type { ModelRecord } from '../../shared/models.ts'
import { buildAgentSnippets } from './agent-snippets.ts'
import { buildChatAppSnippets } from './chat-app-snippets.ts'
import { buildCodeSnippets } from './code-snippets.ts'
import { buildEditorSnippets } from './editor-snippets.ts'
import type { Snippet, SnippetInput } from './snippet.ts'

/** Where the gateway listens unless it is told otherwise. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8655/v1'

/** What stands for a secret that cannot be known any more. */
export const SECRET_PLACEHOLDER = 'tg-…'

/**
 * A model to begin with: the first of a real provider, rather one whose price is known, as a key with a cap is refused
 * the others; else the sandbox's small one.
 */
export function pickModel(models: readonly Pick<ModelRecord, 'id' | 'provider' | 'pricing'>[]): string {
  const real = models.filter(({ provider }) => provider !== 'sandbox')
  return (real.find(({ pricing }) => pricing !== null) ?? real[0])?.id ?? 'sandbox-small'
}

export function buildSnippets(input: SnippetInput): Snippet[] {
  return [
    ...buildCodeSnippets(input),
    ...buildEditorSnippets(input),
    ...buildAgentSnippets(input),
    ...buildChatAppSnippets(input),
  ]
}
