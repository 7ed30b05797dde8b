// A vendor with files and batches as OpenAI and Anthropic have them. A test decides when a batch ends, and with what.
import { readBoundary, requireForm } from '../../../../gateway/formats/pass-through/body.ts'
import { startTestUpstream, type TestExchange } from '../../../../gateway/upstream/testing/test-upstream.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every shape
export type Json = any

interface VendorBatch {
  object: Json
  /** The lines that the client has sent. */
  lines: Json[]
}

/** How a batch ends: its status, and the results of its lines. */
export interface BatchEnd {
  status?: string
  results(lines: readonly Json[]): Json[]
  /** OpenAI's second file. */
  errors?(lines: readonly Json[]): Json[]
  /** Instead of the number of results with an answer. */
  completed?: number
}

let ids = 0

export async function startBatchVendor() {
  const files = new Map<string, { text: string; object: Json }>()
  const batches = new Map<string, VendorBatch>()
  const upstream = await startTestUpstream((exchange) => void serve(exchange))
  const vendor = {
    files,
    batches,
    /** Replaces the answer to a call, by its method and path. */
    override: null as ((exchange: TestExchange, call: string) => boolean) | null,
    /** Creates a batch of OpenAI's API whose creator gets no answer. */
    createSilently(exchange: TestExchange) {
      const sent = exchange.request.json()
      const lines = readLines(files.get(String(sent.input_file_id))?.text ?? '')
      addBatch(sent, lines)
      exchange.reset()
    },
    url: upstream.url,
    requests: upstream.requests,
    close: () => upstream.close(),
    /** Ends a batch of OpenAI's API. */
    end(id: string, { status = 'completed', results, errors, completed }: BatchEnd) {
      const { object, lines } = requireBatch(id)
      const output = results(lines)
      const failed = errors?.(lines) ?? []
      object.status = status
      object.request_counts = {
        total: lines.length,
        completed: completed ?? output.length,
        failed: failed.length,
      }
      object.output_file_id = output.length > 0 ? addFile(toLines(output), 'batch_output') : null
      object.error_file_id = failed.length > 0 ? addFile(toLines(failed), 'batch_output') : null
    },
    /** Ends a batch of Anthropic's API. */
    endMessages(id: string, results: (lines: readonly Json[]) => Json[]) {
      const { object, lines } = requireBatch(id)
      const all = results(lines)
      files.set(id, { text: toLines(all), object: {} })
      object.processing_status = 'ended'
      object.results_url = `${upstream.url}/v1/messages/batches/${id}/results`
      const count = (type: string) => all.filter(({ result }) => result.type === type).length
      object.request_counts = {
        ...{ processing: 0, succeeded: count('succeeded'), errored: count('errored') },
        ...{ canceled: count('canceled'), expired: count('expired') },
      }
    },
  }

  function requireBatch(id: string): VendorBatch {
    const batch = batches.get(id)
    if (!batch) throw new Error(`there is no batch ${id}`)
    return batch
  }

  function addFile(text: string, purpose: string): string {
    const id = `file-vendor${++ids}`
    const bytes = Buffer.byteLength(text)
    const object = { id, object: 'file', bytes, created_at: 1_760_000_000, filename: `${id}.jsonl`, purpose }
    files.set(id, { text, object })
    return id
  }

  function addBatch(sent: Json, lines: Json[]): Json {
    const id = `batch_vendor${++ids}`
    const object = {
      ...{ id, object: 'batch', errors: null, status: 'in_progress', metadata: null, ...sent },
      ...{ created_at: Math.floor(Date.now() / 1000), output_file_id: null, error_file_id: null },
      request_counts: { total: lines.length, completed: 0, failed: 0 },
    }
    batches.set(id, { object, lines })
    return object
  }

  function serve(exchange: TestExchange) {
    const { method, path, body, headers } = exchange.request
    const [url = ''] = path.split('?')
    const [, , resource = '', ...rest] = url.split('/')
    if (vendor.override?.(exchange, `${method} ${url}`)) return
    const missing = () =>
      exchange.reply(404, { error: { message: 'not found', type: 'invalid_request_error' } })
    if (resource === 'files') {
      const [id = '', content] = rest
      if (method === 'POST') {
        const boundary = readBoundary(headers['content-type']) ?? ''
        const parts = requireForm(Buffer.from(body), boundary)
        const find = (name: string) =>
          parts.find((part) => part.name === name)?.content.toString('utf8') ?? ''
        return exchange.reply(200, files.get(addFile(find('file'), find('purpose')))?.object)
      }
      const file = files.get(id)
      if (!file) return missing()
      if (method === 'DELETE') {
        files.delete(id)
        return exchange.reply(200, { id, object: 'file', deleted: true })
      }
      return content
        ? exchange.reply(200, file.text, { 'content-type': 'application/octet-stream' })
        : exchange.reply(200, file.object)
    }
    if (resource === 'batches') return serveBatches(exchange, rest, missing)
    if (resource === 'messages') return serveMessages(exchange, rest.slice(1), missing)
    missing()
  }

  function serveBatches(exchange: TestExchange, [id = '', action]: string[], missing: () => void) {
    const { method, request } = { ...exchange.request, request: exchange.request }
    if (method === 'POST' && id === '') {
      const sent = request.json()
      const file = files.get(String(sent.input_file_id))
      if (!file) return missing()
      return exchange.reply(200, addBatch(sent, readLines(file.text)))
    }
    if (id === '')
      return exchange.reply(200, {
        object: 'list',
        data: [...batches.values()].map((each) => each.object).reverse(),
      })
    const batch = batches.get(id)
    if (!batch) return missing()
    if (action === 'cancel') batch.object.status = 'cancelling'
    exchange.reply(200, batch.object)
  }

  function serveMessages(exchange: TestExchange, [id = '', action]: string[], missing: () => void) {
    const { method } = exchange.request
    if (method === 'POST' && id === '') {
      const lines = exchange.request.json().requests as Json[]
      const created = `msgbatch_vendor${++ids}`
      const object = {
        ...{ id: created, type: 'message_batch', processing_status: 'in_progress', results_url: null },
        ...{ created_at: new Date().toISOString(), expires_at: new Date().toISOString(), ended_at: null },
        ...{ archived_at: null, cancel_initiated_at: null },
        request_counts: { processing: lines.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      }
      batches.set(created, { object, lines })
      return exchange.reply(200, object)
    }
    if (id === '')
      return exchange.reply(200, {
        data: [...batches.values()].map((each) => each.object).reverse(),
        has_more: false,
      })
    const batch = batches.get(id)
    if (!batch) return missing()
    if (action === 'cancel') batch.object.processing_status = 'canceling'
    if (action === 'results')
      return exchange.reply(200, files.get(id)?.text ?? '', { 'content-type': 'application/x-jsonl' })
    if (method === 'DELETE') {
      batches.delete(id)
      return exchange.reply(200, { id, type: 'message_batch_deleted' })
    }
    exchange.reply(200, batch.object)
  }

  return vendor
}

export const toLines = (objects: readonly Json[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join('')

const readLines = (text: string): Json[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** A line of a file, whose answer has at most 100 tokens. */
export function chatLine(customId: string, body: Json = {}): Json {
  const messages = [{ role: 'user', content: 'Hello' }]
  return {
    ...{ custom_id: customId, method: 'POST', url: '/v1/chat/completions' },
    body: { model: 'small', max_completion_tokens: 100, messages, ...body },
  }
}

/** The result of a line with this usage; the vendor's default is 10 and 5 tokens. */
export function chatResult({ custom_id }: Json, usage: Json = countTokens(10, 5)): Json {
  const message = { role: 'assistant', content: 'Hi' }
  const body = {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_760_000_000, model: 'small' },
    ...{ choices: [{ index: 0, message, finish_reason: 'stop' }], usage },
  }
  return {
    id: `r-${custom_id}`,
    custom_id,
    response: { status_code: 200, request_id: 'r', body },
    error: null,
  }
}

export function failedResult({ custom_id }: Json, code = 'invalid_request'): Json {
  return { id: `r-${custom_id}`, custom_id, response: null, error: { code, message: 'It failed.' } }
}

export function countTokens(prompt_tokens: number, completion_tokens: number): Json {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

/** Anthropic's result of a request, with 10 and 5 tokens. */
export function messageResult({ custom_id }: Json): Json {
  const message = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', stop_reason: 'end_turn' },
    content: [{ type: 'text', text: 'Hi' }],
    usage: { input_tokens: 10, output_tokens: 5, service_tier: 'batch' },
  }
  return { custom_id, result: { type: 'succeeded', message } }
}
