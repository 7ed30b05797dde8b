// Owns what to paste into each tool so that it calls this gateway. Pure text: knows nothing of the screen.
import type { ModelRecord } from '../../../shared/models.ts'
import { codeSnippets } from './code-snippets.ts'
import { toolSnippets } from './tool-snippets.ts'

export interface SnippetInput {
  /** Ends in `/v1`. */
  baseUrl: string
  secret: string
  model: string
}

export interface Snippet {
  id: string
  name: string
  kind: 'code' | 'tool'
  /** One sentence before the blocks. */
  intro: string | null
  blocks: { title: string; code: string }[]
}

/** What stands for a secret that cannot be known any more. */
export const PLACEHOLDER = 'tg-…'

/** A model to show in examples: the first of a real provider, else the sandbox's small one. */
export function pickModel(models: readonly Pick<ModelRecord, 'id' | 'provider'>[]): string {
  return models.find(({ provider }) => provider !== 'sandbox')?.id ?? 'sandbox-small'
}

export function snippets(input: SnippetInput): Snippet[] {
  return [...codeSnippets(input), ...toolSnippets(input)]
}
