// Reads the requests of a batch: which provider can do them, what it is sent, and what they may cost.

import type { Endpoint } from '../../../gateway/formats/chat/codec-types.ts'
import { NO_CONTENT } from '../../../gateway/formats/chat/content-counter.ts'
import { UpstreamFailure } from '../../../gateway/formats/chat/failure.ts'
import { readSentContent } from '../../../gateway/formats/chat/sent-content.ts'
import { clientCodecs } from '../../../gateway/formats/codecs.ts'
import type { JsonObject } from '../../../gateway/formats/json/json.ts'
import { decodePassThrough } from '../../../gateway/formats/pass-through/decode.ts'
import { rejectForbiddenFields } from '../../../gateway/http/forbidden-fields.ts'
import { validate } from '../../../gateway/http/json-body.ts'
import { toGatewayError } from '../../../gateway/http/send-response.ts'
import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import { findKnownProvider } from '../../../gateway/models/providers/known-providers.ts'
import { GatewayError, invalidRequest } from '../../../gateway/platform/errors.ts'
import { silentLog } from '../../../gateway/platform/log.ts'
import type { InferenceCall, RequestMode } from '../../../gateway/request/call.ts'
import { type CandidateInput, createCandidates } from '../../../gateway/request/prepare.ts'
import type { Candidate } from '../../../gateway/request/quote.ts'
import type { InferenceDeps, LineChange, LineOrRequest } from '../../../gateway/request/run.ts'
import { allowedOffers, withoutPlans } from '../../../gateway/request/select.ts'
import type { Operation } from '../../../shared/api/operations/operation.ts'
import { operations } from '../../../shared/api/operations.ts'
import { API_FORMATS } from '../../../shared/api/providers.ts'
import { isPlan } from '../../../shared/api/terms.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { computeMost, createBatchPrice, toBatchModel } from './batch-price.ts'
import type { LineFacts } from './batch-rows.ts'

export type PricingDeps = Pick<
  InferenceDeps,
  | ('account' | 'adapterFor' | 'breakers' | 'catalog' | 'clock' | 'forecast' | 'hooks')
  | ('providerModels' | 'providers' | 'signatures' | 'spendLimits')
>

/** The APIs for batches. */
export type BatchApi = 'openai' | 'anthropic'

/** The paths of requests that a batch may have: those of operations here. */
const PATHS: Readonly<Record<BatchApi, readonly string[]>> = {
  openai: ['/v1/chat/completions', '/v1/responses', '/v1/embeddings', '/v1/completions', '/v1/moderations'],
  anthropic: ['/v1/messages'],
}

const byPath = new Map<string, Operation>(
  Object.values(operations).flatMap((operation: Operation) =>
    operation.method === 'POST' ? [[operation.path, operation]] : [],
  ),
)

/** Whether the provider has batches of this API. A server that is not known may have them. */
function hasBatches({ providerId, apiFormat, hosting }: Endpoint, api: BatchApi): boolean {
  const known = findKnownProvider(providerId)
  if (isPlan(providerId) || (known && known.batches !== true)) return false
  return api === 'openai'
    ? apiFormat.startsWith('openai-') && (hosting === null || hosting === 'azure')
    : apiFormat === 'anthropic-messages' && hosting === null
}

/** A model of a batch: the offer of the provider that does it, at its usual price and at that of batches. */
interface ModelOffer {
  usual: Offer
  offer: Offer
}

export interface PricedLine {
  facts: LineFacts
  /** The request as the provider is sent it. */
  body: string
}

/** Who sends a batch. */
export type LineSender = Pick<InferenceCall, 'client' | 'key' | 'tag'>

type LineRequest = Pick<CandidateInput, 'request' | 'mode' | 'bytes' | 'content'>

const NO_SESSION: CandidateInput['session'] = { id: '', pauses: { withinHour: 0, longer: 0 } }
const NO_PLACE = { sessionId: null, agentId: null }

/** Prices the lines of one batch or file. All go to the provider of the first. */
export class LinePricer {
  readonly #deps: PricingDeps
  readonly #sender: LineSender
  readonly #api: BatchApi
  readonly #byName = new Map<string, ModelOffer>()
  /** The names of the models, as the lines have them. */
  readonly models: string[] = []
  #provider: string | null = null
  #path: string | null = null
  /** When its first line was read. */
  readonly #createdAt: number

  constructor(deps: PricingDeps, sender: LineSender, api: BatchApi) {
    this.#deps = deps
    this.#sender = sender
    this.#api = api
    this.#createdAt = deps.clock.now()
  }

  /** The provider of all lines. To be read once one is priced. */
  get provider(): string {
    if (this.#provider === null) throw invalidRequest('The batch has no requests.')
    return this.#provider
  }

  /** The path that all lines have. */
  get path(): string {
    return this.#path ?? ''
  }

  /** The offers of the models, at their usual prices. */
  get offers(): Offer[] {
    return this.models.flatMap((name) => this.#byName.get(name)?.usual ?? [])
  }

  /** `text`: the JSON of `json`, the body of the request. Throws GatewayError for one that cannot be done. */
  async price(path: string, json: JsonObject, text: string): Promise<PricedLine> {
    const operation = this.#findOperation(path)
    rejectForbiddenFields(json)
    if (json.stream === true)
      throw invalidRequest('A batch has no streams: leave out "stream".', { param: 'stream' })
    const body: JsonObject = operation.body ? Object(validate(operation.body, json, 'body')) : json
    for (const hook of this.#deps.hooks)
      hook.beforePrompt?.({ key: this.#sender.key, purpose: 'batch', json, body: Buffer.from(text) })
    const asked = await this.#priceAsked(operation, body, text)
    for (const hook of this.#deps.hooks) {
      const changing = hook.beforeLine?.(this.#describe(operation, body, text))
      const change = changing && (await changing)
      if (change) return await this.#change(asked, change, operation)
    }
    return asked
  }

  async #priceAsked(operation: Operation, body: JsonObject, text: string): Promise<PricedLine> {
    const name = String(body.model)
    const { offer } = this.#byName.get(name) ?? (await this.addModel(name))
    const request = this.#decode(operation, body, text)
    const { bound, encoded } = this.#createCandidate(offer, request, false)
    if (!encoded) throw notServed(offer, this.path)
    const strictBound = Array.isArray(body.tools) ? this.#createCandidate(offer, request, true).bound : bound
    const { unpriced } = strictBound
    return {
      facts: {
        model: this.models.indexOf(name),
        prompt: bound.prompt * bound.calls,
        output: bound.output * bound.calls,
        ...(bound.units && { units: bound.units.most }),
        ...(bound.tier && bound.tier !== 'batch' && { tier: bound.tier }),
        ...(unpriced && { unpriced: { message: unpriced.problem, strict: !bound.unpriced } }),
      },
      body: encoded.body,
    }
  }

  #describe(operation: Operation, json: JsonObject, text: string): LineOrRequest {
    const { request, mode } = this.#decode(operation, json, text)
    const call = {
      ...this.#sender,
      request,
      mode,
      json,
      codec: clientCodecs[operation.format ?? 'openai-chat'],
      body: Buffer.from(text),
      unsupported: null,
      overflowFrom: null,
      instead: null,
      agent: null,
    }
    return { call, deps: this.#deps, createdAt: this.#createdAt, place: NO_PLACE }
  }

  /** The line with the change, or without it where it would cost more, or other limits would count. */
  async #change(
    asked: PricedLine,
    { native, offer, describe }: LineChange,
    operation: Operation,
  ): Promise<PricedLine> {
    const keep = (unable: string | null): PricedLine => ({
      ...asked,
      facts: { ...asked.facts, features: describe(unable) },
    })
    if (!native) return keep(null)
    const name = this.models[asked.facts.model] ?? ''
    if (offer && !this.#isUnderSameLimits(name, offer)) return keep('A limit is for the other model alone.')
    let changed: PricedLine
    try {
      changed = await this.#priceAsked(operation, native.json, native.body)
    } catch (error) {
      const reason = toLineError(error)
      if (!reason) throw error
      return keep(reason.message)
    }
    if (this.#computeMost(changed.facts) > this.#computeMost(asked.facts))
      return keep('The line could cost more.')
    return {
      ...changed,
      facts: { ...changed.facts, ...(offer && { asked: name }), features: describe(null) },
    }
  }

  #isUnderSameLimits(name: string, offer: Offer): boolean {
    const { spendLimits } = this.#deps
    const { key, tag } = this.#sender
    const usual = this.#byName.get(name)?.usual
    const find = (of: Offer) => spendLimits.findFor({ key, tag, models: [of], ...NO_PLACE }).stops
    return find(offer).every((limit) => usual !== undefined && find(usual).includes(limit))
  }

  /** Nano-dollars. */
  #computeMost(facts: LineFacts): number {
    const { account, forecast } = this.#deps
    const model = this.#byName.get(this.models[facts.model] ?? '')
    if (!model) return 0
    return computeMost(toBatchModel(model.usual, forecast), model.offer, facts, account.plan.discountPercent)
  }

  #findOperation(path: string): Operation {
    // Azure also takes paths without the version.
    const full = path.startsWith('/v1/') ? path : `/v1${path}`
    const operation = PATHS[this.#api].includes(full) ? byPath.get(full) : undefined
    if (!operation)
      throw invalidRequest(`"url" must be one of ${PATHS[this.#api].join(', ')}.`, { param: 'url' })
    this.#path ??= path
    if (path !== this.#path)
      throw invalidRequest(`All lines must have the same "url", and the first has "${this.#path}".`, {
        param: 'url',
      })
    return operation
  }

  #decode({ format, passThrough: endpoint }: Operation, body: JsonObject, text: string): LineRequest {
    const bytes = Buffer.byteLength(text)
    if (endpoint) {
      const passThrough = decodePassThrough(endpoint, { json: body, bytes: Buffer.from(text), boundary: '' })
      const request: ChatRequest = {
        model: passThrough.model,
        messages: [{ role: 'user', content: passThrough.text }],
      }
      return { request, mode: { kind: 'raw', passThrough }, bytes, content: NO_CONTENT }
    }
    const clientFormat = format ?? 'openai-chat'
    const isTextCompletion = clientFormat === 'openai-completions'
    const { request } = clientCodecs[clientFormat].decodeRequest(Object(body))
    const native = {
      format: isTextCompletion
        ? 'openai-chat'
        : (API_FORMATS.find((name) => name === clientFormat) ?? 'openai-chat'),
      body: text,
      json: body,
      chatRequest: request,
      stream: false,
      query: '',
      headers: {},
      isTextCompletion,
    } as const
    const mode: RequestMode = { kind: 'native', native }
    return { request, mode, bytes, content: readSentContent(native.format, body) }
  }

  #createCandidate(offer: Offer, line: LineRequest, isStrict: boolean): Candidate {
    const { account } = this.#deps
    const [candidate] = createCandidates(
      [offer],
      {
        ...line,
        unsupported: null,
        instead: null,
        keyId: this.#sender.key.id,
        session: NO_SESSION,
        discountPercent: account.plan.discountPercent,
        // A batch cannot be stopped on the way: the output limit that is reserved is always sent.
        capped: true,
        isStrict,
        outputLimits: null,
      },
      this.#deps,
    )
    if (!candidate) throw notServed(offer, this.path)
    const { refusal, target } = candidate
    if (refusal) throw refusal
    const { mode } = line
    const isOwn =
      mode.kind === 'raw' ||
      (mode.kind === 'native' &&
        target.apiFormat === mode.native.format &&
        (!mode.native.isTextCompletion || target.completionsPath !== null))
    if (!isOwn) throw notServed(offer, this.path)
    return candidate
  }

  /** Throws GatewayError as a request with this model would, and for a model of another provider than the lines before have. */
  async addModel(name: string, provider = this.#provider): Promise<ModelOffer> {
    const { catalog, providerModels, providers } = this.#deps
    if (!catalog.knows(name)) await providerModels.refreshMissing()
    const offers = allowedOffers(withoutPlans(catalog.route(name).offers), this.#sender.key, name)
    const fitting = offers.filter(
      ({ providerId }) =>
        providers.isConfigured(providerId) && hasBatches(providers.endpoint(providerId), this.#api),
    )
    const usual = fitting.find(({ providerId }) => provider === null || providerId === provider)
    if (!usual) {
      throw fitting.length === 0
        ? invalidRequest(
            `No provider of "${name}" does batches of this API. ${this.#api === 'openai' ? 'OpenAI and Azure OpenAI have them' : 'Anthropic has them'}; add it under Providers.`,
            { param: 'model', code: 'batches_not_served' },
          )
        : invalidRequest(
            `The model "${name}" is not of the provider "${provider}", which does the other lines: send its lines as another batch.`,
            { param: 'model' },
          )
    }
    this.#provider = usual.providerId
    const price = usual.price && createBatchPrice(usual.price, usual.providerId)
    const added = { usual, offer: { ...usual, price } }
    this.models.push(name)
    this.#byName.set(name, added)
    return added
  }
}

function notServed({ providerId }: Offer, path: string): GatewayError {
  return invalidRequest(`The provider "${providerId}" does not serve ${path}.`, { param: 'url' })
}

/** The error of a line as a client gets it. */
export function toLineError(thrown: unknown): GatewayError | null {
  if (thrown instanceof UpstreamFailure) return toGatewayError(thrown, silentLog)
  return thrown instanceof GatewayError ? thrown : null
}
