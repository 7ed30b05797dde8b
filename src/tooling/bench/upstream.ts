// A provider for the benchmark. It responds immediately, plain or with 50 stream chunks.
import { createServer } from 'node:http'

const CHUNKS = 50
const head = { id: 'chatcmpl-bench', created: 1_760_000_000, model: 'bench' }
const usage = { prompt_tokens: 20, completion_tokens: CHUNKS, total_tokens: 20 + CHUNKS }
const plain = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'word '.repeat(CHUNKS) }, finish_reason: 'stop' },
  ],
  usage,
})
const event = (value: object) =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...value })}\n\n`
const word = event({ choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] })
const opening = event({
  choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
})
const closing = `${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}${event({ choices: [], usage })}data: [DONE]\n\n`

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    if (!body.includes('"stream":true')) {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(plain),
      })
      response.end(plain)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(opening)
    for (let at = 0; at < CHUNKS; at++) response.write(word)
    response.end(closing)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`)
})
