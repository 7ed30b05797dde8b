import { TokenCount } from '../../shared/messages.ts'
import { clientCodecs } from '../formats/codecs.ts'
import { GatewayError } from '../platform/errors.ts'
import { countAtProvider, countTokens } from '../request/count-tokens.ts'
import { nativeOf, payingKey } from './inference-handler.ts'
import type { Call } from './operation-call.ts'
import { rejectForbiddenFields } from './refused-fields.ts'
import type { GatewayServices } from './services.ts'

/** Anthropic's count of the tokens of a message. */
export async function countMessageTokens(
  call: Call<'countMessageTokens'>,
  services: GatewayServices,
): Promise<TokenCount> {
  rejectForbiddenFields(call.body)
  const { request } = clientCodecs['anthropic-messages'].decodeRequest({ ...call.body, max_tokens: 1 })
  const key = await payingKey(call, services)
  const native = nativeOf(call, 'anthropic-messages', request)
  const answer = await countAtProvider({ native, key, trace: call.exchange.trace }, services)
  if (answer === undefined) return { input_tokens: await countTokens(request, services) }
  const { data } = TokenCount.safeParse(answer)
  if (data) return data
  throw new GatewayError({
    status: 502,
    type: 'upstream_error',
    message: 'The answer of the provider has no count of tokens.',
  })
}
