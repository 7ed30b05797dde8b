import type { ClientFormat } from '../../gateway/formats/client-codecs.ts'
import { chatFeatures } from './chat-features.ts'
import type { ClientFeatures } from './feature.ts'

export const clientFeatures: Partial<Record<ClientFormat, ClientFeatures>> = {
  'openai-chat': chatFeatures,
}
