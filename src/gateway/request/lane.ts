// How one provider is sent a request, and the size of what it is sent.
import { API_FORMATS, type ApiFormat } from '../../shared/api/providers.ts'
import type {
  DecodedRequest,
  EncodedRequest,
  NativeRequest,
  OutputLimitName,
  Target,
} from '../formats/chat/codec-types.ts'
import type { SentContent } from '../formats/chat/content-counter.ts'
import { type AnswerMode, TRANSLATED } from '../formats/chat/events.ts'
import {
  type AskedModel,
  countVendorTools,
  measurePrediction,
  type RequestedExtras,
  readAskedWindow,
  readExtras,
} from '../formats/chat/requested-extras.ts'
import { readSentContent } from '../formats/chat/sent-content.ts'
import { codecFor } from '../formats/codecs.ts'
import { setMember } from '../formats/json/edit-json.ts'
import { isGiven, isObject, type JsonObject, parseJson } from '../formats/json/json.ts'
import { adaptTranslated } from '../formats/openai-chat/request.ts'
import { MIN_OUTPUT_TOKENS } from '../formats/openai-responses/request.ts'
import { searchesByItself } from '../models/catalog/model-families.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { estimatePromptTokens } from '../models/tokens/token-counter.ts'
import { PLAN_ANSWER_HEADERS } from '../upstream/authorization/plan-sign-in.ts'
import type { AdapterFor } from '../upstream/http-adapter.ts'
import type { SentSize } from './bound.ts'
import type { PlanMode, RequestMode } from './call.ts'

export type EncoderFor = (...format: Parameters<AdapterFor>) => Pick<ReturnType<AdapterFor>, 'encode'>

export interface LaneInput extends Pick<DecodedRequest, 'request'> {
  mode: RequestMode
  /** The request for providers of the client's own format, if there is one. */
  native: NativeRequest | null
  /** The size of the client's body. */
  bytes: number
  /** The content of the client's body, in its own format. */
  content: SentContent
  /** Whether the whole bound must fit under a limit. */
  isStrict: boolean
  adapterFor: EncoderFor
}

/** The way of a request to one offer: unchanged where the target has the API that the client uses, else translated. */
export class Lane {
  readonly offer: Offer
  readonly target: Target
  /** The client's own request, if the target has the API that the client uses. */
  readonly own: NativeRequest | null
  readonly #input: LaneInput

  constructor(offer: Offer, target: Target, input: LaneInput) {
    const { native } = input
    const isServed = !native?.isTextCompletion || target.completionsPath !== null
    this.offer = offer
    this.target = target
    this.own = isServed && target.apiFormat === native?.format ? native : null
    this.#input = input
  }

  /** The request that decides what the provider does: the client's own, or the chat request that is translated. */
  get asked(): JsonObject {
    return this.own?.json ?? this.#input.request
  }

  /** Answers of the same format whose codec cannot add the cost are written by the client's codec. */
  get mode(): AnswerMode {
    const codec = this.own && codecFor(this.target).native
    return codec?.addCost
      ? { kind: 'native', addCost: codec.addCost, namesEvents: codec.namesEvents === true }
      : TRANSLATED
  }

  /**
   * One call's request: the client's own bytes where the target uses the same format and answers with all choices.
   * `outputLimit`: the name of the output limit, if not the usual one. Throws UpstreamFailure for what the format cannot express.
   */
  encode(calls: number, outputLimit?: OutputLimitName): EncodedRequest | null {
    const { mode } = this.#input
    if (mode.kind === 'plan') return encodeVerbatim(mode)
    const { target } = this
    const encoded = this.#encodeFor(
      outputLimit ? { ...target, quirks: { ...target.quirks, outputLimit } } : target,
      calls,
    )
    return encoded && this.#nameTier(encoded)
  }

  #encodeFor(target: Target, calls: number): EncodedRequest | null {
    const { request, bytes, content, adapterFor } = this.#input
    const codec = this.own ? codecFor(target).native : null
    if (this.own && codec && calls === 1)
      return { ...codec.request(this.own, target), answerHeaders: codec.answerHeaders }
    const adapted =
      this.own || target.apiFormat !== 'openai-chat'
        ? request
        : adaptTranslated(request, target.quirks, {
            reasons: this.offer.capabilities.includes('reasoning'),
            outputTokens: outputRoom(this.offer, estimatePromptTokens(bytes, content.images)),
          })
    return adapterFor(target.apiFormat).encode(calls > 1 ? { ...adapted, n: 1 } : adapted, target)
  }

  /**
   * Under a strict limit, OpenAI and Azure are sent the standard tier where the client leaves the choice to its project or
   * deployment, whose settings may name a dearer one. Completions have no tiers.
   */
  #nameTier(encoded: EncodedRequest): EncodedRequest {
    const { service_tier: tier } = this.asked
    if (!this.#input.isStrict || !this.target.quirks.openaiOwned) return encoded
    if (this.own?.isTextCompletion || (isGiven(tier) && tier !== 'auto')) return encoded
    return { ...encoded, body: setMember(encoded.body, ['service_tier'], 'default') }
  }

  /** Measures the body for the target; null for the sandbox, which reads the client's own request. */
  measure(encoded: EncodedRequest | null, calls: number): SentSize {
    const { quirks, apiFormat, headers, enforcedOutputTokens } = this.target
    const { bytes, content, isStrict } = this.#input
    const extras = this.#readExtras(encoded)
    const common = { extras, quirks, calls, isStrict, outputLimit: enforcedOutputTokens ?? null }
    if (!encoded) return { ...common, bytes, content }
    const json = this.own?.json
    return {
      ...common,
      bytes: Buffer.byteLength(encoded.body),
      content: this.#readContent(encoded),
      asked: this.asked,
      predictedBytes: json ? measurePrediction(json) : 0,
      vendorTools: json ? countVendorTools(json) : 0,
      askedWindow: readAskedWindow([headers, encoded.headers, { 'anthropic-beta': json?.anthropic_beta }]),
      leastOutput: apiFormat === 'openai-responses' ? MIN_OUTPUT_TOKENS : 0,
    }
  }

  /**
   * The content of the body. It is only parsed if the client's request has images, whose bytes do not count, or what the provider may
   * add to: a translation may leave that out.
   */
  #readContent({ body }: EncodedRequest): SentContent {
    const { native, request } = this.#input
    const isRead = this.own !== null || native === null || native.format === 'openai-chat'
    let content = isRead ? this.#input.content : readSentContent('openai-chat', request)
    if (content.images.count > 0 || (content.external && !this.own)) {
      const format = API_FORMATS.find((name) => name === this.target.apiFormat)
      const json = format ? parseJson(body) : null
      // Without the body, all its bytes are text.
      content =
        format && isObject(json)
          ? readSentContent(format, json)
          : { ...content, images: { count: content.images.count, bytes: 0 }, dataBytes: 0 }
    }
    return searchesByItself(this.target.upstreamModel) ? { ...content, external: true } : content
  }

  /** Reads the extras of the body. It is only parsed if the request has some: a translation may leave them out. */
  #readExtras(encoded: EncodedRequest | null): RequestedExtras {
    const model: AskedModel = { id: this.target.upstreamModel, searches: this.#searchesUnasked }
    const extras = readExtras(this.asked, model)
    if (this.own || !encoded || (extras.tools.length === 0 && extras.tier === null)) return extras
    const body = parseJson(encoded.body)
    return isObject(body) ? readExtras(body, model) : extras
  }

  get #searchesUnasked(): AskedModel['searches'] {
    if (this.target.quirks.searchesOnce) return 'once'
    return searchesByItself(this.target.upstreamModel) ? 'often' : 'never'
  }
}

const PLAN_PATHS: Partial<Record<ApiFormat, string>> = {
  'anthropic-messages': '/messages',
  'openai-responses': '/responses',
}

/** The client's own request, byte for byte. `path`: if it is not for an answer. */
export function encodeVerbatim(
  { native: { format, body }, query, signIn, bytes }: PlanMode,
  path = PLAN_PATHS[format] ?? '',
): EncodedRequest {
  const answerHeaders = PLAN_ANSWER_HEADERS
  return { path: path + query, headers: { ...signIn.headers }, body, bytes, answerHeaders, verbatim: true }
}

/** The estimate of a prompt may be too low by this factor. */
const MARGIN = 1.25
const LEAST_OUTPUT = 1_024

/** The most tokens that a model can answer with: some servers reject a limit that does not fit after the prompt. */
function outputRoom({ maxOutputTokens, contextWindow }: Offer, promptTokens: number): number {
  const room = (contextWindow ?? Infinity) - Math.ceil(promptTokens * MARGIN)
  return Math.min(maxOutputTokens ?? Infinity, Math.max(room, LEAST_OUTPUT))
}
