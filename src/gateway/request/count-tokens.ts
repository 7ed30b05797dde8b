import type { ChatRequest } from '../../shared/chat.ts'
import { countPromptTokens } from '../tokens/estimate-tokens.ts'
import type { InferenceDeps } from './call.ts'

/**
 * Counts the tokens of a prompt in the vocabulary that is used for charges without reported usage. Throws 404 for an unknown
 * model.
 */
export async function countTokens(
  request: ChatRequest,
  { catalog, providerModels, tokens }: Pick<InferenceDeps, 'catalog' | 'providerModels' | 'tokens'>,
): Promise<number> {
  if (!catalog.knows(request.model)) await providerModels.refreshMissing()
  catalog.get(request.model)
  return await countPromptTokens(request, (text) => tokens.count(text))
}
