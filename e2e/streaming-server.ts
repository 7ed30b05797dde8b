// A server in the OpenAI format that streams long answers, at the pace that the question asks for.
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { startTestUpstream, type TestExchange } from '../src/gateway/upstream/testing/test-upstream.ts'
import { NO_TOKENS, vendorFormats } from '../src/gateway/upstream/testing/vendor-formats.ts'

export const STREAMING_MODEL = 'long-answers'
const PAUSE_MS = 8

const Request = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) })

const LIST = Array.from(
  { length: 6 },
  (_, index) => `- point ${index + 1} with **weight** and \`code\``,
).join('\n')
const CODE = [
  '```ts',
  'export function add(a: number, b: number): number {',
  '  return a + b // both',
  '}',
  '```',
].join('\n')

/** Twenty-four sections with a heading, text, a list and a code block: about 2,400 tokens. */
function writeSections(): string {
  const words = 'The quick brown fox jumps over the lazy dog, and then it rests for a while. '
  return Array.from(
    { length: 24 },
    (_, index) => `## Section ${index + 1}\n\n${words.repeat(2)}\n\n${LIST}\n\n${CODE}\n`,
  ).join('\n')
}

interface StreamedText {
  tokens: string[]
  /** The number of tokens sent before the pause. */
  atOnce: number
}

const TEXTS: Readonly<Record<string, () => StreamedText>> = {
  sections: () => ({ tokens: writeSections().match(/\s*\S+/g) ?? [], atOnce: 4 }),
  paragraph: () => ({ tokens: Array.from({ length: 3_000 }, (_, at) => ` word${at}`), atOnce: 30 }),
  burst: () => ({ tokens: writeSections().match(/\s*\S+/g) ?? [], atOnce: Number.POSITIVE_INFINITY }),
}

export interface StreamingServer {
  baseUrl: string
  close(): Promise<void>
}

/** Its answers are named by the last word of the question: `sections`, `paragraph` or `burst`. */
export async function startStreamingServer(): Promise<StreamingServer> {
  const { url, close } = await startTestUpstream((exchange) => {
    if (!exchange.request.path.endsWith('/models')) return stream(exchange)
    const data = [{ id: STREAMING_MODEL, object: 'model', created: 1_780_000_000, owned_by: 'test' }]
    exchange.reply(200, { object: 'list', data })
  })
  return { baseUrl: `${url}/v1`, close }
}

async function stream(exchange: TestExchange): Promise<void> {
  const { messages } = Request.parse(exchange.request.json())
  const name =
    messages
      .findLast(({ role }) => role === 'user')
      ?.content.split(' ')
      .at(-1) ?? ''
  const { tokens, atOnce } = (TEXTS[name] ?? TEXTS.sections)?.() ?? { tokens: [], atOnce: 1 }
  const chat = vendorFormats['openai-chat']
  exchange.begin()
  for (let at = 0; at < tokens.length; at += atOnce) {
    exchange.data(...tokens.slice(at, at + atOnce).map((content) => chat.delta(content)))
    await wait(PAUSE_MS)
  }
  const usage = chat.usage({ ...NO_TOKENS, input: 10, text: tokens.length })
  exchange.data(...chat.end({ usage }), '[DONE]').end()
}
