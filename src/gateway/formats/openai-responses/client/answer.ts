import type { ChatCompletion, ChatUsage } from '../../../../shared/chat-completion.ts'
import type { AnswerContext } from '../../chat/client-codec.ts'
import { readSignedReasoning } from '../../chat/reasoning.ts'
import { isObject, type JsonObject } from '../../json/json.ts'
import { ResponseOutput } from './output.ts'
import type { EndStatus } from './output-item.ts'
import { responseObject } from './response-object.ts'
import { ToolTable } from './tools.ts'

const ENCRYPTED = 'reasoning.encrypted_content'

export function createOutput({ requestId, body }: AnswerContext): ResponseOutput {
  const { store, include } = body
  const showsSigned = store === false || (Array.isArray(include) && include.includes(ENCRYPTED))
  return new ResponseOutput({ requestId, tools: new ToolTable(body), showsSigned })
}

interface Ending {
  status: EndStatus
  /** Why the response is incomplete. */
  reason: string | null
}

const INCOMPLETE: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

export function endOf(finishReason: string | null): Ending {
  const reason = INCOMPLETE[finishReason ?? ''] ?? null
  return { status: reason === null ? 'completed' : 'incomplete', reason }
}

/** The log probabilities of a chat choice or a chunk's. */
export function choiceLogprobs(choice: Readonly<Record<string, unknown>>): unknown[] {
  const { logprobs } = choice
  return isObject(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : []
}

export function answerBody(
  completion: ChatCompletion,
  usage: ChatUsage,
  context: AnswerContext,
): { response: JsonObject; output: ResponseOutput } {
  const output = createOutput(context)
  const choice = completion.choices.find(({ index }) => index === 0) ?? completion.choices[0]
  if (choice) for (const delta of inOrder(choice.message)) output.add(delta, choiceLogprobs(choice))
  const { status, reason } = endOf(choice?.finish_reason ?? null)
  output.end(status)
  return { response: responseObject(context, { status, output: output.items, usage, reason }), output }
}

type Message = ChatCompletion['choices'][number]['message']

/** The message as a stream would bring it: signed reasoning after its text, and before the call that it precedes. */
function inOrder(message: Message): Readonly<Record<string, unknown>>[] {
  const { reasoning_content: reasoning, tool_calls: calls = [], signed_reasoning: _, ...rest } = message
  const signed = readSignedReasoning(message)
  const known = new Set(calls.map(({ id }) => id))
  const first = signed.filter(({ call_id: id }) => id === undefined || !known.has(id))
  return [
    { reasoning_content: reasoning },
    { signed_reasoning: first },
    rest,
    ...calls.map((call, index) => ({
      signed_reasoning: signed.filter(({ call_id: id }) => id === call.id),
      tool_calls: [{ ...call, index }],
    })),
  ]
}
