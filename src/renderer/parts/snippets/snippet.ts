import type { ToolInput } from '../../../shared/tools/tool-config.ts'

export type SnippetInput = ToolInput

export type SnippetGroup = 'agent' | 'code' | 'chat'

export interface SnippetBlock {
  title: string
  code: string
}

export interface Snippet {
  id: string
  name: string
  group: SnippetGroup
  /** Shown before the blocks. */
  intro: string | null
  /** Shown after the blocks: a common reason why the tool cannot reach the gateway. */
  caution?: string
  /** None for a tool that cannot be connected. */
  blocks: SnippetBlock[]
}
