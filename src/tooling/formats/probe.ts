// Finds out by the codecs' behavior what becomes of a feature: the request with it is encoded, and compared with the request
// without it.
import type { ClientCodec, DecodedRequest, Target } from '../../gateway/formats/chat/codec-types.ts'
import { UpstreamFailure } from '../../gateway/formats/chat/failure.ts'
import { clientCodecs, getCodec } from '../../gateway/formats/codecs.ts'
import type { JsonObject } from '../../gateway/formats/json/json.ts'
import { adaptTranslated } from '../../gateway/formats/openai-chat/request.ts'
import { GatewayError } from '../../gateway/platform/errors.ts'
import { testTarget } from '../../gateway/upstream/testing/test-upstream.ts'
import type { ClientFormat } from '../../shared/api/operations/operation.ts'
import type { ApiFormat } from '../../shared/api/providers.ts'
import { type ClientFeatures, type Feature, MARKERS } from './feature.ts'

export type Outcome =
  | { kind: 'native' | 'carried' | 'several calls' | 'dropped' }
  | { kind: 'refused'; message: string }

/** The outcome of the feature between a client and a provider. */
export function probe(
  client: ClientFormat,
  { schema, base, several = '' }: ClientFeatures,
  [name, fields, given]: Feature,
  provider: ApiFormat,
): Outcome {
  const codec = getCodec(provider)
  const target = testTarget('https://provider.example/v1', {
    apiFormat: provider,
    // What of Converse a maker's models accept depends on the maker.
    upstreamModel: provider === 'bedrock-converse' ? 'anthropic.claude-sonnet-4-6' : 'model',
    quirks: codec.quirks,
    maxOutputTokens: 32_000,
  })
  try {
    const without = schema.parse({ ...base, ...given })
    const asking = schema.parse({ ...without, ...fields })
    const decoded = decode(client, asking)
    if (provider === client && codec.native) return { kind: 'native' }
    if (codec.quirks.noN && JSON.stringify(fields).includes(`"${several}":2`))
      return { kind: 'several calls' }
    const sent = encode(decoded, target)
    const marker = MARKERS.find((text) => JSON.stringify(fields).includes(text))
    const isCarried =
      marker === undefined || JSON.stringify(without).includes(marker)
        ? sent !== encode(decode(client, without), target)
        : sent.includes(marker)
    return { kind: isCarried ? 'carried' : 'dropped' }
  } catch (error) {
    if (error instanceof UpstreamFailure) return { kind: 'refused', message: error.message }
    if (error instanceof GatewayError) return { kind: 'refused', message: error.body.message }
    throw new Error(`The probe of "${name}" of ${client} failed.`, { cause: error })
  }
}

function decode(client: ClientFormat, body: JsonObject): DecodedRequest {
  const codec: ClientCodec = clientCodecs[client]
  return codec.decodeRequest(body)
}

const MODEL = { reasons: true, outputTokens: 32_000 }

function encode({ request, unsupported }: DecodedRequest, target: Target): string {
  if (unsupported) throw unsupported
  const adapted =
    target.apiFormat === 'openai-chat' ? adaptTranslated(request, target.quirks, MODEL) : request
  const { path, body } = getCodec(target.apiFormat).chatRequest(adapted, target)
  return `${path}\n${body}`
}
