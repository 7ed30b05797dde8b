// The window reads this at its start, so it is apart from the schemas.

const CHAT_CAPABILITIES = ['vision', 'tools', 'json', 'reasoning', 'streaming'] as const
/** The capabilities of models that do not chat. */
const OTHER_CAPABILITIES = [
  'embeddings',
  'moderation',
  'rerank',
  'images',
  'transcription',
  'speech',
] as const
export const CAPABILITIES = [...CHAT_CAPABILITIES, ...OTHER_CAPABILITIES] as const

/** Whether a model answers chats, as far as its capabilities say: some only make embeddings, images and the like. */
export function isChatModel({ capabilities }: { capabilities: readonly string[] }): boolean {
  const others: readonly string[] = OTHER_CAPABILITIES
  return capabilities.length === 0 || !capabilities.every((each) => others.includes(each))
}
