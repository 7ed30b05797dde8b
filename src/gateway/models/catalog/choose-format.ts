import type { ChatRequest } from '../../../shared/chat.ts'
import type { ApiFormat, ProviderFormat } from '../../../shared/providers.ts'
import type { Endpoint, Quirks } from '../../formats/chat/target.ts'
import { mustNotReason } from '../../formats/openai-chat/request.ts'

export interface FormatWish {
  request: ChatRequest
  /** The client's API format; null for a format that no provider has. */
  clientFormat: ApiFormat | null
}

/** The format of a call, and the quirk that comes with the choice. */
export interface FormatChoice {
  apiFormat: ProviderFormat
  noReasoningSummary: boolean
}

/**
 * The format in which a request is sent: the client's if the base URL serves it, because then nothing is translated; the
 * Responses API where chat completions would lose the model or its reasoning; and else the provider's.
 */
export function chooseFormat(
  { apiFormat, otherFormats }: Pick<Endpoint, 'apiFormat' | 'otherFormats'>,
  modelQuirks: Quirks,
  { request, clientFormat }: FormatWish,
): FormatChoice {
  if (clientFormat !== null && otherFormats.includes(clientFormat))
    return { apiFormat: clientFormat, noReasoningSummary: false }
  const hasResponses = apiFormat === 'openai-chat' && otherFormats.includes('openai-responses')
  // Chat completions have no summaries, and asking for them fails for organizations that are not verified.
  return hasResponses && needsResponses(request, modelQuirks)
    ? { apiFormat: 'openai-responses', noReasoningSummary: true }
    : { apiFormat, noReasoningSummary: false }
}

function needsResponses(request: ChatRequest, quirks: Quirks): boolean {
  if (quirks.onlyResponses) return true
  // There is no `n`, and a call for each choice would cost the prompt several times.
  return (request.n ?? 1) === 1 && mustNotReason(request, quirks)
}
