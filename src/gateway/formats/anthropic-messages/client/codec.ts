// Clients of Anthropic's Messages API. Source: the types of Anthropic's SDK.
import type { MessagesRequest } from '../../../../shared/messages.ts'
import type { ClientCodec } from '../../chat/client-codec.ts'
import { answerBody } from './answer.ts'
import { decodeRequest } from './decode-request.ts'
import { errorBody } from './errors.ts'
import { MessageStreamWriter } from './stream-writer.ts'

export const anthropicMessagesClient: ClientCodec<MessagesRequest> = {
  decodeRequest,
  answerBody,
  streamWriter: (context) => new MessageStreamWriter(context),
  errorBody,
}
