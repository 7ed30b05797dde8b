import { isObject, type JsonObject } from '../../../gateway/formats/json/json.ts'
import {
  type TestExchange,
  testChunk,
  testCompletion,
} from '../../../gateway/upstream/testing/test-upstream.ts'
import { readList } from './json-lists.ts'
import { type Reply, type Situation, USAGE } from './scripted-model.ts'

const usage = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
  prompt_tokens_details: { cached_tokens: USAGE.cached },
  completion_tokens_details: { reasoning_tokens: USAGE.reasoning },
}

export function readChatRequest(body: JsonObject): Situation {
  return {
    tools: readList(body.tools).flatMap(({ function: declared }) =>
      isObject(declared) ? [{ name: String(declared.name), schema: declared.parameters }] : [],
    ),
    hasResult: readList(body.messages).some(({ role }) => role === 'tool'),
    stream: body.stream === true,
    model: String(body.model),
  }
}

export function answerChat(exchange: TestExchange, { text, call }: Reply, { stream }: Situation): void {
  const message =
    call === null
      ? { content: text }
      : {
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: call.name, arguments: call.argsJson } },
          ],
        }
  const finish = call === null ? 'stop' : 'tool_calls'
  if (!stream) {
    const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }
    exchange.reply(200, { ...testCompletion(''), choices: [choice], usage })
    return
  }
  const { tool_calls: calls } = message
  const delta = calls ? { tool_calls: calls.map((one, index) => ({ index, ...one })) } : { content: text }
  exchange
    .begin()
    .data(testChunk({ role: 'assistant', content: '' }), testChunk(delta), testChunk({}, finish))
    .data({ ...testChunk({}), choices: [], usage }, '[DONE]')
    .end()
}
