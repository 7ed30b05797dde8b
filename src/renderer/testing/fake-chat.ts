/** The chunks of a chat completion, in this order. */
export interface FakeAnswer {
  reasoning?: string
  text?: string
  toolCalls?: readonly { id: string; name: string; arguments: string }[]
  /** The message of an error chunk, which ends the stream. */
  error?: string
  costUsd?: number
  /** Leaves the stream open until the request is aborted. */
  open?: boolean
}

export function streamChatAnswer(answer: FakeAnswer, signal?: AbortSignal | null): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const event of listEvents(answer)) {
        controller.enqueue(new TextEncoder().encode(`data: ${event}\n\n`))
      }
      if (!answer.open) return controller.close()
      signal?.addEventListener('abort', () =>
        controller.error(new DOMException('The operation was aborted.', 'AbortError')),
      )
    },
  })
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'x-service-request-id': 'req_chat' },
  })
}

const CHUNK = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'sandbox-small' }

function listEvents({ reasoning, text, toolCalls = [], error, costUsd = 0.001, open }: FakeAnswer): string[] {
  const deltas = [
    ...(reasoning ? [{ reasoning_content: reasoning }] : []),
    ...(text ? [{ content: text }] : []),
    ...toolCalls.map(({ id, name, arguments: json }, index) => ({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: json } }],
    })),
  ]
  const chunks = deltas.map((delta) =>
    JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta, finish_reason: null }] }),
  )
  if (error !== undefined) {
    return [...chunks, JSON.stringify({ error: { type: 'upstream_error', message: error } })]
  }
  if (open) return chunks
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, cost: costUsd }
  return [...chunks, JSON.stringify({ ...CHUNK, choices: [], usage }), '[DONE]']
}
