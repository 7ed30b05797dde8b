import type { ClientFormat } from '../../shared/api/operations/operation.ts'
import { chatFeatures } from './chat-features.ts'
import type { ClientFeatures } from './feature.ts'
import { geminiFeatures } from './gemini-features.ts'
import { messagesFeatures } from './messages-features.ts'
import { responsesFeatures } from './responses-features.ts'

export const clientFeatures: Partial<Record<ClientFormat, ClientFeatures>> = {
  'openai-chat': chatFeatures,
  'openai-responses': responsesFeatures,
  'anthropic-messages': messagesFeatures,
  'gemini-generate': geminiFeatures,
}
