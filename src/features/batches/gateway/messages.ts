// Anthropic's batches of messages. The requests come with the call that creates the batch, so they are priced on their way to the
// provider, and the end of the body is held back until their sum is reserved.
import { randomBytes } from 'node:crypto'
import { getCodec } from '../../../gateway/formats/codecs.ts'
import { readMember, setRawMember } from '../../../gateway/formats/json/edit-json.ts'
import { isObject } from '../../../gateway/formats/json/json.ts'
import type { Call } from '../../../gateway/http/calls.ts'
import { decodeUtf8 } from '../../../gateway/http/json-body.ts'
import type { FileBody } from '../../../gateway/http/read-body.ts'
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import { invalidRequest } from '../../../gateway/platform/errors.ts'
import { pickHeaders } from '../../../gateway/platform/headers.ts'
import { MAX_MESSAGE_REQUESTS, MessageBatch } from '../api/batches.ts'
import { toBatchModel } from './batch-price.ts'
import type { FileLine } from './batch-rows.ts'
import { describeSender, enterSession, findListed, findPayer, isMissing, withBody } from './callers.ts'
import { abortedWith, checkCustomId, LineProblems, sendChunks } from './files.ts'
import { type Job, unknownBatch } from './jobs.ts'
import { messageBatches, viewMessageBatch } from './kinds.ts'
import { type BatchServices, cancelStored, refresh, requireBatch, startJob } from './openai.ts'
import { LinePricer, toLineError } from './price-lines.ts'
import { callProvider, readFromProvider } from './provider-calls.ts'
import { ListSplitter, parseRequest } from './splitters.ts'

const JSON_BODY: FileBody = {
  types: /^application\/json\s*(;|$)/i,
  maxBytes: 256 * 1024 * 1024,
  otherType: 'The body must be JSON: send "Content-Type: application/json".',
  tooLarge: 'The batch is larger than 256 MB.',
}

export async function createMessageBatch(
  call: Call<'createMessageBatch'>,
  services: BatchServices,
): Promise<MessageBatch> {
  const key = await findPayer(call.principal, services.deps)
  return await withBody(call.context, JSON_BODY, (chunks) => sendList(call, chunks, key, services))
}

async function sendList(
  { headers }: Call<'createMessageBatch'>,
  chunks: AsyncIterable<Uint8Array>,
  key: KeyState,
  services: BatchServices,
): Promise<MessageBatch> {
  const { deps, jobs } = services
  const pricer = new LinePricer(deps, describeSender(key, headers), 'anthropic')
  const requests = new RequestList(pricer)
  const sent = requests.read(chunks)
  const first = await sent.next()
  const { provider } = pricer
  const [credential = 0] = deps.providers.credentialOrder(provider)
  const createdAt = deps.clock.now()
  let job: Job | null = null
  let reserving: Promise<void> | null = null
  const reserveAll = async () => {
    const [id, expiresAt] = [`msgbatch_${randomBytes(12).toString('hex')}`, createdAt + 86_400_000]
    job = await jobs.reserve(
      {
        id,
        keyId: key.id,
        createdAt,
        provider,
        credential,
        object: {
          type: 'message_batch',
          processing_status: 'in_progress',
          results_url: null,
          ended_at: null,
          created_at: new Date(createdAt).toISOString(),
          expires_at: new Date(expiresAt).toISOString(),
          request_counts: {
            processing: requests.lines.length,
            succeeded: 0,
            errored: 0,
            canceled: 0,
            expired: 0,
          },
        },
        details: {
          endpoint: '/v1/messages',
          inputFile: null,
          models: pricer.offers.map((offer) => toBatchModel(offer, deps.forecast)),
          ...enterSession(key, headers, deps),
        },
      },
      requests.lines,
      key,
    )
  }
  const reserve = () => {
    reserving = reserveAll()
    return reserving
  }
  const create = () =>
    callProvider(
      { provider, credential },
      {
        method: 'POST',
        path: messageBatches.path,
        headers: {
          'content-type': 'application/json',
          ...pickHeaders(headers, getCodec('anthropic-messages').native?.clientHeaders),
        },
        body: chain(first.done ? [] : [first.value], sent, reserve, () => requests.tail),
        signal: new AbortController().signal,
      },
      deps,
    )
  const find = async () => {
    // The provider may have refused the call while it was reserved.
    await reserving?.catch(() => undefined)
    return job
  }
  const object = await startStreamed(create, find, services)
  if (!job) throw new Error('a batch was created without a reservation')
  return view({ ...(job as Job).batch, object }, headers)
}

/** Does what `startJob` does, for a batch that is reserved while it is sent. */
async function startStreamed(
  create: () => ReturnType<typeof callProvider>,
  find: () => Promise<Job | null>,
  services: BatchServices,
) {
  let failure: unknown
  const object = await create().catch((error: unknown) => {
    failure = error
    return null
  })
  const job = await find()
  if (!job) throw failure ?? new Error('the provider answered before the end of the batch')
  return await startJob(job, services, async () => {
    if (object) return object
    throw failure
  })
}

/** The body for the provider: the list, and its end once `reserve` has resolved. */
async function* chain(
  first: readonly Buffer[],
  rest: AsyncIterable<Buffer>,
  reserve: () => Promise<void>,
  getTail: () => string,
): AsyncGenerator<Buffer> {
  yield* first
  yield* rest
  await reserve()
  yield Buffer.from(getTail())
}

/** The requests of a body on its way. */
class RequestList {
  readonly #pricer: LinePricer
  readonly #ids = new Set<string>()
  readonly #problems = new LineProblems()
  #line = 0
  readonly lines: FileLine[] = []
  tail = ''

  constructor(pricer: LinePricer) {
    this.#pricer = pricer
  }

  /** The body as the provider is sent it, up to its last request. Throws GatewayError 400 that names requests that are wrong. */
  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    const splitter = new ListSplitter('requests')
    for await (const chunk of body) {
      const texts: string[] = []
      for (const element of splitter.push(chunk)) {
        this.#line += 1
        const text = await this.#readRequest(element)
        if (text === null || this.#problems.count > 0) continue
        texts.push(this.#line === 1 ? splitter.head : ',', text)
      }
      if (texts.length > 0) yield Buffer.from(texts.join(''))
    }
    this.tail = splitter.end().tail
    this.#problems.throwIfAny()
    if (this.lines.length === 0) throw invalidRequest('"requests" is empty.', { param: 'requests' })
  }

  async #readRequest(bytes: Buffer): Promise<string | null> {
    try {
      if (this.#line > MAX_MESSAGE_REQUESTS)
        throw invalidRequest(`A batch has at most ${MAX_MESSAGE_REQUESTS} requests`, { param: 'requests' })
      const text = decodeUtf8(bytes)
      const { custom_id: customId, params } = parseRequest(text)
      checkCustomId(customId, this.#ids)
      if (!isObject(params)) throw invalidRequest('"params" must be an object.', { param: 'params' })
      const sent = readMember(text, 'params') ?? ''
      const { facts, body } = await this.#pricer.price('/v1/messages', params, sent)
      this.#ids.add(customId)
      this.lines.push({ customId, line: this.#line, facts })
      return body === sent ? text : setRawMember(text, 'params', body)
    } catch (thrown) {
      const error = toLineError(thrown)
      if (!error) throw thrown
      this.#problems.add(this.#line, error)
      return null
    }
  }
}

type Headers = Call<'getMessageBatch'>['headers']

function view(batch: Job['batch'], headers: Headers): MessageBatch {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  return MessageBatch.parse(viewMessageBatch(batch, `${scheme}://${headers.host ?? 'localhost'}`))
}

export async function getMessageBatch(
  { id, principal, headers, context }: Call<'getMessageBatch'>,
  services: BatchServices,
): Promise<MessageBatch> {
  const batch = await findMessageBatch(id, principal, services)
  return view(await refresh(batch, services, 'GET', '', abortedWith(context)), headers)
}

export async function cancelMessageBatch(
  { id, principal, headers }: Call<'cancelMessageBatch'>,
  services: BatchServices,
): Promise<MessageBatch> {
  const batch = await findMessageBatch(id, principal, services)
  return view(await cancelStored(batch, services), headers)
}

export async function deleteMessageBatch(
  { id, principal }: Call<'deleteMessageBatch'>,
  services: BatchServices,
): Promise<void> {
  const batch = await findMessageBatch(id, principal, services)
  // Without its results, its lines could not be settled.
  if (batch.state !== 'settled')
    throw invalidRequest('The batch is not settled yet. Cancel it first, and delete it once it has ended.')
  const path = `${messageBatches.path}/${encodeURIComponent(batch.providerBatch ?? '')}`
  const { signal } = new AbortController()
  await callProvider(batch, { method: 'DELETE', path, signal }, services.deps).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}

export async function listMessageBatches(
  { principal, headers, query: { limit, after_id: after, before_id: before } }: Call<'listMessageBatches'>,
  { deps }: BatchServices,
): Promise<{ data: MessageBatch[]; hasMore: boolean }> {
  const page = { keyId: findListed(principal), after, before, limit: limit + 1, prefix: 'msgbatch_' }
  const batches = await deps.store.read('listBatches', page)
  return {
    data: batches.slice(0, limit).map((batch) => view(batch, headers)),
    hasMore: batches.length > limit,
  }
}

export async function sendResults(
  { id, principal, context }: Call<'getMessageBatchResults'>,
  services: BatchServices,
): Promise<void> {
  const batch = await findMessageBatch(id, principal, services)
  const [path = ''] = messageBatches.resultPaths(batch, batch.object)
  const chunks = readFromProvider(batch, { method: 'GET', path, signal: abortedWith(context) }, services.deps)
  await sendChunks(context, chunks, 'application/x-jsonl', () => unknownBatch(id))
}

async function findMessageBatch(
  id: string,
  principal: Call<'getMessageBatch'>['principal'],
  { deps }: BatchServices,
) {
  const batch = await requireBatch(id, principal, deps)
  if (batch.details.inputFile !== null) throw unknownBatch(id)
  return batch
}
