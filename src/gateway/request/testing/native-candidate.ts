import type { ChatRequest } from '../../../shared/formats/chat.ts'
import type { DecodedRequest, Endpoint, NativeRequest } from '../../formats/chat/codec-types.ts'
import { ReasoningSignatureCache } from '../../formats/chat/reasoning.ts'
import { readSentContent } from '../../formats/chat/sent-content.ts'
import { codecFor } from '../../formats/codecs.ts'
import type { Offer } from '../../models/catalog/offers.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { Forecast } from '../forecast.ts'
import { type CandidateInput, createCandidates } from '../prepare.ts'
import type { Candidate } from '../quote.ts'

const signatures = new ReasoningSignatureCache()

type Given = Pick<NativeRequest, 'format' | 'json' | 'isTextCompletion'> & { decoded: DecodedRequest }

/** How a request of a client is sent to the endpoint, and its bound, under a cap. */
export function createNativeCandidate(
  { format, json, decoded, isTextCompletion = false }: Given,
  { offer, endpoint }: { offer: Offer; endpoint: Endpoint },
  strictness: Partial<Pick<CandidateInput, 'isStrict'>> = {},
): Candidate {
  const body = JSON.stringify(json)
  const { request } = decoded
  const native = { format, json, body, chatRequest: request, stream: false, query: '', headers: {} }
  const providers = { isConfigured: () => true, endpoint: () => endpoint, credentialOrder: () => [0] }
  const adapterFor = () => ({
    encode: (chat: ChatRequest, target: Parameters<typeof codecFor>[0] & typeof endpoint) =>
      codecFor(target).chatRequest(chat, { ...testTarget(''), ...target }),
  })
  const [candidate] = createCandidates(
    [offer],
    {
      ...decoded,
      instead: null,
      mode: { kind: 'native', native: { ...native, isTextCompletion } },
      keyId: 'k',
      session: { id: 'ses_1', pauses: { withinHour: 0, longer: 0 } },
      bytes: Buffer.byteLength(body),
      content: readSentContent(format, json),
      capped: true,
      isStrict: false,
      discountPercent: 0,
      outputLimits: null,
      ...strictness,
    },
    { providers, adapterFor, signatures, forecast: new Forecast() },
  )
  if (!candidate) throw new Error('there is no candidate')
  return candidate
}
