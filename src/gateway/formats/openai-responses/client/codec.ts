import type { ResponseRequest } from '../../../../shared/responses.ts'
import type { ClientCodec } from '../../client-codec.ts'
import { answerBody } from './answer.ts'
import { errorBody } from './errors.ts'
import { decodeRequest } from './request.ts'
import { ResponseStreamWriter } from './stream-writer.ts'

export const openaiResponsesClient: ClientCodec<ResponseRequest> = {
  decodeRequest,
  answerBody,
  streamWriter: (context) => new ResponseStreamWriter(context),
  errorBody,
}
