// The provider that answers the tools: in OpenAI's format, always with the same text and usage.
import {
  startTestUpstream,
  type TestUpstream,
  testChunk,
  testCompletion,
} from '../../gateway/upstream/testing/test-upstream.ts'

export const ANSWER = 'Hello from behind the gateway.'

/** The cost of each answer, at 1 USD per million input tokens and 2 USD per million output tokens. */
export const COST_USD = 0.0014

const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 }

export function startAnsweringUpstream(): Promise<TestUpstream> {
  return startTestUpstream((exchange) => {
    const { method, path } = exchange.request
    if (method !== 'POST' || !path.endsWith('/chat/completions')) {
      exchange.reply(404, { error: { message: 'There is only POST /chat/completions.' } })
    } else if (exchange.request.json().stream === true) {
      exchange
        .begin()
        .data(
          testChunk({ role: 'assistant', content: '' }),
          testChunk({ content: ANSWER }),
          testChunk({}, 'stop'),
        )
        .data({ ...testChunk({}), choices: [], usage }, '[DONE]')
        .end()
    } else {
      exchange.reply(200, { ...testCompletion(ANSWER), usage })
    }
  })
}
