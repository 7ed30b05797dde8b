export interface SnippetInput {
  /** Ends in `/v1`. */
  baseUrl: string
  secret: string
  model: string
}

export type SnippetGroup = 'code' | 'editor' | 'chat'

export interface Snippet {
  id: string
  name: string
  group: SnippetGroup
  /** Shown before the blocks. */
  intro: string | null
  /** Shown after the blocks: a common reason why the tool cannot reach the gateway. */
  caution?: string
  blocks: { title: string; code: string }[]
}
