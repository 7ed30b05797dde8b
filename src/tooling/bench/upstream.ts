// A provider for the benchmark. It responds immediately, plain or with 50 stream chunks; a prompt such as "paced 50 400"
// gets a stream of 400 chunks, one every 50 ms, and "after 50" a plain answer after 50 ms. The text of a plain answer and of a paced chunk begins with the time it was
// sent.
import { createServer, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { sharedNow } from './clock.ts'

const CHUNKS = 50
const HEAD = { id: 'chatcmpl-bench', created: 1_760_000_000, model: 'bench' }
const USAGE = { prompt_tokens: 20, completion_tokens: CHUNKS, total_tokens: 20 + CHUNKS }
/** Replaced by the text of an answer. */
const TEXT = '{text}'

const plain = splitAtText({
  ...HEAD,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
  usage: USAGE,
})
const words = 'word '.repeat(CHUNKS)
const chunk = splitAtText(event([{ index: 0, delta: { content: TEXT }, finish_reason: null }]))
const word = chunk.join('word ')
const opening = event([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])
const finish = event([{ index: 0, delta: {}, finish_reason: 'stop' }])
const closing = `${finish}${event([], USAGE)}data: [DONE]\n\n`

function event(choices: readonly object[], usage?: object): string {
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, usage })}\n\n`
}

/** The parts before and after the text. */
function splitAtText(template: object | string): [before: string, after: string] {
  const json = typeof template === 'string' ? template : JSON.stringify(template)
  const [before = '', after = ''] = json.split(TEXT)
  return [before, after]
}

const server = createServer((request, response) => {
  const receivedAt = sharedNow()
  let body = ''
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    // Also a receiver of OTLP: an empty message is the answer of one that has taken everything.
    if (request.url?.startsWith('/otlp/')) return response.end()
    if (!body.includes('"stream":true')) {
      const [, answerMs] = /"after (\d+) /.exec(body) ?? []
      if (answerMs === undefined) return respond(response, receivedAt)
      return void setTimeout(respond, Number(answerMs), response, receivedAt)
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(opening)
    const paced = /paced (\d+) (\d+)/.exec(body)
    if (paced) return sendPaced(response, Number(paced[1]), Number(paced[2]))
    for (let at = 0; at < CHUNKS; at++) response.write(word)
    response.end(closing)
  })
})

function respond(response: ServerResponse, receivedAt: number): void {
  const text = plain.join(`${receivedAt.toFixed(3)} ${sharedNow().toFixed(3)} ${words}`)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
  response.end(text)
}

function sendPaced(response: ServerResponse, intervalMs: number, chunks: number): void {
  let left = chunks
  const timer = setInterval(() => {
    if (left-- > 0) return response.write(chunk.join(`${sharedNow().toFixed(3)} `))
    clearInterval(timer)
    response.end(closing)
  }, intervalMs)
  response.on('close', () => clearInterval(timer))
}

const Address = z.object({ port: z.number() })
server.keepAliveTimeout = 60_000
server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, () => {
  process.stdout.write(`${JSON.stringify({ port: Address.parse(server.address()).port })}\n`)
})
