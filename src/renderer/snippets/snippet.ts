// Owns the shape of what is pasted into a tool, and of what it is made from.

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
  /** One sentence before the blocks. */
  intro: string | null
  /** What commonly keeps it from reaching this computer. */
  caution?: string
  blocks: { title: string; code: string }[]
}
