// OpenAI's files for batches. The bytes go through to the provider; each line is checked and priced on the way, and what was
// found is kept instead.
import { randomBytes } from 'node:crypto'
import { readMember, setRawMember } from '../../../gateway/formats/json/edit-json.ts'
import { isObject, type JsonObject, stringOr } from '../../../gateway/formats/json/json.ts'
import { readBoundary } from '../../../gateway/formats/pass-through/body.ts'
import type { Principal } from '../../../gateway/http/auth.ts'
import type { Call } from '../../../gateway/http/calls.ts'
import { decodeUtf8 } from '../../../gateway/http/json-body.ts'
import type { FileBody } from '../../../gateway/http/read-body.ts'
import type { RequestContext } from '../../../gateway/http/request-context.ts'
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import { GatewayError, invalidRequest, notFound } from '../../../gateway/platform/errors.ts'
import type { Store } from '../../../gateway/store/store.ts'
import { type BatchFile, MAX_LINES } from '../api/batches.ts'
import type { FileLine, StoredFile } from './batch-rows.ts'
import {
  type CallerDeps,
  describeSender,
  findListed,
  findPayer,
  isMissing,
  maySee,
  withBody,
} from './callers.ts'
import { readParts, type StreamedPart } from './form-reader.ts'
import { nameLines } from './jobs.ts'
import { LinePricer, type PricingDeps, toLineError } from './price-lines.ts'
import { callProvider, type ProviderDeps, readFromProvider } from './provider-calls.ts'
import { parseRequest, splitLines } from './splitters.ts'

export type FileDeps = CallerDeps & PricingDeps & ProviderDeps & { store: Store }

const MB = 1024 * 1024
const FORM: FileBody = {
  types: /^multipart\/form-data\s*;/i,
  maxBytes: 201 * MB,
  otherType: 'The body must be a form: send "Content-Type: multipart/form-data" with its boundary.',
  tooLarge: 'The file is larger than 200 MB, the most that a batch may have.',
}
const MAX_FIELD_BYTES = 1_000
const LINE_END = Buffer.from('\n')
/** Lines are sent together. */
const SENT_BYTES = 65_536
/** Facts of lines that are written together. */
const FACTS_AT_A_TIME = 200

export class BatchFiles {
  readonly #deps: FileDeps

  constructor(deps: FileDeps) {
    this.#deps = deps
  }

  /** Sends a client's file to the provider of its models. */
  async create(call: Call<'createFile'>): Promise<BatchFile> {
    const key = await findPayer(call.principal, this.#deps)
    return await withBody(call.context, FORM, (chunks) => this.#send(call, chunks, key))
  }

  async #send(
    { context, headers }: Call<'createFile'>,
    chunks: AsyncIterable<Uint8Array>,
    key: KeyState,
  ): Promise<BatchFile> {
    const { store, providers } = this.#deps
    const pricer = new LinePricer(this.#deps, describeSender(key, headers), 'openai')
    const parts = readParts(chunks, readBoundary(headers['content-type']) ?? '')
    const upload = new Upload(parts, pricer)
    const lines = upload.read()
    const first = await lines.next()
    const { provider } = pricer
    const [credential = 0] = providers.credentialOrder(provider)
    const id = `file-${randomBytes(12).toString('hex')}`
    const { nr } = await store.write('addBatchFile', {
      id,
      keyId: key.id,
      createdAt: this.#deps.clock.now(),
      provider,
      credential,
      providerFile: null,
      batch: null,
      object: {},
      details: { endpoint: '', models: [], lines: 0 },
    })
    try {
      upload.onFacts = (facts) => store.write('addFileLines', nr, facts)
      const boundary = randomBytes(16).toString('hex')
      const object = await callProvider(
        { provider, credential },
        {
          method: 'POST',
          path: '/files',
          headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
          body: encodeForm(boundary, upload, first.done ? [] : [first.value], lines),
          signal: abortedWith(context),
        },
        this.#deps,
      )
      const details = { endpoint: pricer.path, models: pricer.models, lines: upload.count }
      await store.write('completeBatchFile', { nr, providerFile: String(object.id), object, details })
      return viewFile({ id }, object)
    } catch (error) {
      await store.write('removeBatchFile', id).catch(() => undefined)
      throw error
    }
  }

  async get({ id, principal, context }: Call<'getFile'>): Promise<BatchFile> {
    const file = await this.find(id, principal)
    const object = await this.#call(file, 'GET', context)
    return viewFile(file, object)
  }

  async list({
    principal,
    query: { limit, after, purpose },
  }: Call<'listFiles'>): Promise<{ data: BatchFile[]; hasMore: boolean }> {
    const files = await this.#deps.store.read('listBatchFiles', {
      keyId: findListed(principal),
      after,
      limit: limit + 1,
      prefix: 'file-',
    })
    const shown = files
      .slice(0, limit)
      .map((file) => viewFile(file, file.object))
      .filter((file) => purpose === undefined || file.purpose === purpose)
    return { data: shown, hasMore: files.length > limit }
  }

  async delete({ id, principal, context }: Call<'deleteFile'>): Promise<void> {
    const file = await this.find(id, principal)
    await this.#call(file, 'DELETE', context).catch((error: unknown) => {
      if (!isGone(error)) throw error
    })
    await this.#deps.store.write('removeBatchFile', id)
  }

  /** Passes the lines through. */
  async sendContent({ id, principal, context }: Call<'getFileContent'>): Promise<void> {
    const file = await this.find(id, principal)
    const path = `/files/${encodeURIComponent(file.providerFile ?? '')}/content`
    const chunks = readFromProvider(file, { method: 'GET', path, signal: abortedWith(context) }, this.#deps)
    await sendChunks(context, chunks, 'application/octet-stream', () => unknownFile(id))
  }

  /** Throws 404 for one that another key has made. */
  async find(id: string, principal: Principal): Promise<StoredFile> {
    const file = await this.#deps.store.read('getBatchFile', id)
    if (!file || file.providerFile === null || !maySee(principal, file)) throw unknownFile(id)
    return file
  }

  async #call(file: StoredFile, method: 'GET' | 'DELETE', context: RequestContext): Promise<JsonObject> {
    const path = `/files/${encodeURIComponent(file.providerFile ?? '')}`
    try {
      return await callProvider(file, { method, path, signal: abortedWith(context) }, this.#deps)
    } catch (error) {
      throw isMissing(error) ? unknownFile(file.id) : error
    }
  }
}

function isGone(error: unknown): boolean {
  return error instanceof GatewayError && error.status === 404
}

function unknownFile(id: string): GatewayError {
  return notFound(`There is no file "${id}" of this key.`, { param: 'id' })
}

/** Aborts when the client leaves before the end of its answer. */
export function abortedWith({ response }: RequestContext): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}

/** Sends bytes as they come. The first must be there before the answer begins, so that an error is one. */
export async function sendChunks(
  { response, headers }: RequestContext,
  chunks: AsyncGenerator<Uint8Array>,
  type: string,
  missing: () => GatewayError,
): Promise<void> {
  const first = await chunks.next().catch((error: unknown) => {
    throw isMissing(error) ? missing() : error
  })
  response.writeHead(200, { ...headers, 'content-type': type })
  try {
    for (let part = first; !part.done; part = await chunks.next()) {
      if (response.write(part.value)) continue
      await new Promise<void>((resolve) => {
        const go = () => {
          response.off('drain', go).off('close', go)
          resolve()
        }
        response.on('drain', go).on('close', go)
      })
    }
    response.end()
  } catch {
    // The end of the chunked body is missing, so that the client knows.
    response.destroy()
  } finally {
    await chunks.return(undefined)
  }
}

function viewFile({ id }: Pick<StoredFile, 'id'>, object: JsonObject): BatchFile {
  return {
    bytes: 0,
    created_at: 0,
    filename: '',
    purpose: 'batch_output',
    ...object,
    id,
    object: 'file',
  }
}

/** A file on its way: its lines are checked and priced. */
class Upload {
  readonly #parts: AsyncIterable<StreamedPart>
  readonly #pricer: LinePricer
  readonly #ids = new Set<string>()
  readonly #problems = new LineProblems()
  #facts: FileLine[] = []
  #line = 0
  filename = 'batch.jsonl'
  /** The fields of the form. Complete when the file is read. */
  readonly fields = new Map<string, string>()
  /** Stores the facts of lines. To be set once the first of them is read. */
  onFacts: (facts: readonly FileLine[]) => Promise<unknown> = async () => undefined

  constructor(parts: AsyncIterable<StreamedPart>, pricer: LinePricer) {
    this.#parts = parts
    this.#pricer = pricer
  }

  /** The requests so far. */
  get count(): number {
    return this.#ids.size
  }

  /** The lines as the provider is sent them, many at a time. Throws GatewayError 400 that names lines that are wrong. */
  async *read(): AsyncGenerator<Buffer> {
    let hasFile = false
    for await (const { name, filename, content } of this.#parts) {
      if (name === 'file' && filename !== null && !hasFile) {
        hasFile = true
        this.filename = filename
        yield* this.#readFile(content)
      } else {
        this.fields.set(name, await readField(content, name))
      }
      this.#checkPurpose()
    }
    if (!hasFile) throw invalidRequest('The form needs a file in the field "file".', { param: 'file' })
    if (!this.fields.has('purpose'))
      throw invalidRequest('The form needs the field "purpose".', { param: 'purpose' })
    this.#problems.throwIfAny()
    if (this.count === 0) throw invalidRequest('The file has no requests.', { param: 'file' })
    await this.#keepFacts(0)
  }

  #checkPurpose(): void {
    const purpose = this.fields.get('purpose') ?? 'batch'
    if (purpose !== 'batch')
      throw invalidRequest(
        `Tollgate takes files for batches only ("purpose": "batch"), not for "${purpose.slice(0, 50)}". Send other files within the request, as base64 data.`,
        { param: 'purpose' },
      )
  }

  async *#readFile(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let lines: Buffer[] = []
    let length = 0
    for await (const bytes of splitLines(content)) {
      this.#line += 1
      const sent = await this.#readLine(bytes)
      // Once a line is wrong, the file is only read on to name the others.
      if (sent === null || this.#problems.count > 0) continue
      lines.push(sent, LINE_END)
      length += sent.byteLength + 1
      await this.#keepFacts(FACTS_AT_A_TIME)
      if (length < SENT_BYTES && this.count > 1) continue
      yield Buffer.concat(lines)
      lines = []
      length = 0
    }
    if (lines.length > 0) yield Buffer.concat(lines)
  }

  /** Null for an empty line, and for one that is wrong. */
  async #readLine(bytes: Buffer): Promise<Buffer | null> {
    try {
      const text = decodeUtf8(bytes).trim()
      if (text === '') return null
      if (this.count === MAX_LINES)
        throw invalidRequest(`A batch has at most ${MAX_LINES} requests`, { param: 'file' })
      const sent = await this.#priceLine(text)
      return sent === text ? bytes : Buffer.from(sent)
    } catch (thrown) {
      const error = toLineError(thrown)
      if (!error) throw thrown
      this.#problems.add(this.#line, error)
      return null
    }
  }

  async #priceLine(text: string): Promise<string> {
    const { custom_id: customId, method, url, body } = parseRequest(text)
    checkCustomId(customId, this.#ids)
    if (method !== 'POST') throw invalidRequest('"method" must be "POST".', { param: 'method' })
    if (!isObject(body)) throw invalidRequest('"body" must be an object.', { param: 'body' })
    const sent = readMember(text, 'body') ?? ''
    const priced = await this.#pricer.price(stringOr(url, ''), body, sent)
    this.#ids.add(customId)
    this.#facts.push({ customId, line: this.#line, facts: priced.facts })
    return priced.body === sent ? text : setRawMember(text, 'body', priced.body)
  }

  async #keepFacts(least: number): Promise<void> {
    if (this.#facts.length < Math.max(least, 1)) return
    const facts = this.#facts
    this.#facts = []
    await this.onFacts(facts)
  }
}

const MAX_ID_LENGTH = 512

/** Throws GatewayError for one that is missing, too long or taken. */
export function checkCustomId(id: unknown, taken: ReadonlySet<string>): asserts id is string {
  const fail = (problem: string) => invalidRequest(`"custom_id" ${problem}.`, { param: 'custom_id' })
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH)
    throw fail(`must be a text of 1 to ${MAX_ID_LENGTH} characters`)
  if (taken.has(id)) throw fail('is that of an earlier line')
}

/** The lines that are wrong, by what is wrong with them. */
export class LineProblems {
  readonly #byMessage = new Map<string, { error: GatewayError; lines: number[]; count: number }>()
  count = 0

  add(line: number, error: GatewayError): void {
    this.count += 1
    const problem = this.#byMessage.get(error.message)
    if (problem) {
      problem.count += 1
      if (problem.lines.length < MAX_NAMED) problem.lines.push(line)
    } else if (this.#byMessage.size < MAX_PROBLEMS) {
      this.#byMessage.set(error.message, { error, lines: [line], count: 1 })
    }
  }

  throwIfAny(): void {
    const [first] = this.#byMessage.values()
    if (!first) return
    const { status, body } = first.error
    const isDenied = body.code === 'denied_by_rule'
    const message = [...this.#byMessage.values()]
      .map(({ error, lines, count }) => `${nameLines(lines, count)}: ${error.message}`)
      .join(' ')
    throw new GatewayError({ status, ...body, message, ...(isDenied && { param: `line ${first.lines[0]}` }) })
  }
}

const MAX_NAMED = 10
const MAX_PROBLEMS = 5

async function readField(content: AsyncIterable<Buffer>, name: string): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of content) {
    length += part.byteLength
    if (length > MAX_FIELD_BYTES)
      throw invalidRequest(`The field "${name.slice(0, 100)}" is too long.`, { param: name.slice(0, 100) })
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const quote = (text: string) => text.replaceAll(/[\r\n"]/g, (each) => encodeURIComponent(each))

/** The form for the provider. Its fields come last, because the client may send them after the file. */
async function* encodeForm(
  boundary: string,
  upload: Upload,
  first: readonly Buffer[],
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quote(upload.filename)}"\r\nContent-Type: application/jsonl\r\n\r\n`,
  )
  yield* first
  yield* rest
  for (const [name, value] of upload.fields)
    yield Buffer.from(
      `\r\n--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"\r\n\r\n${value}`,
    )
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}
