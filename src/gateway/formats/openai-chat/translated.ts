// Requests that come from clients of other API formats. These ask for what their own vendor's models do, so what is only a
// wish is adapted to the model, and what many servers of this format reject is written in another way.
import type { ChatRequest, ToolCall } from '../../../shared/chat.ts'
import { omitFields } from '../chat/message-content.ts'
import { EFFORTS, type Effort, nearestEffort } from '../chat/request-fields.ts'
import type { Quirks } from '../chat/target.ts'
import type { JsonObject } from '../json/json.ts'

type Message = ChatRequest['messages'][number]
type Content = Message['content']

/** Anthropic's mark; OpenAI rejects unknown members. */
const MARK = ['cache_control']

function isText(part: JsonObject): part is { type: 'text'; text: string } {
  return part.type === 'text' && typeof part.text === 'string'
}

/** Texts alone become a string, because some servers accept no list. */
function joinTexts(content: Content): Content {
  if (!Array.isArray(content) || !content.every(isText)) return content
  return content.map(({ text }) => text).join('\n')
}

function withoutMarks<Owner extends JsonObject>(owner: Owner): Owner {
  return 'cache_control' in owner ? omitFields(owner, MARK) : owner
}

function omitMarks(message: Message): Message {
  const bare = withoutMarks(message)
  const { content, tool_calls: calls } = bare
  return Object.assign(
    {},
    bare,
    Array.isArray(content) && { content: joinTexts(content.map(withoutMarks)) },
    Array.isArray(calls) && { tool_calls: calls.map((call: ToolCall) => withoutMarks(call)) },
  )
}

const isInstruction = ({ role }: Message): boolean => role === 'system' || role === 'developer'

function textOf(content: Content): string {
  const joined = joinTexts(content)
  return typeof joined === 'string' ? joined : JSON.stringify(joined)
}

/**
 * One system message at the start, because the chat templates of many models accept no other; later instructions are marked
 * as such in a user message.
 */
function placeInstructions(messages: readonly Message[]): Message[] {
  const first = messages.findIndex((message) => !isInstruction(message))
  const leading = messages.slice(0, first === -1 ? messages.length : first)
  const texts = leading.map(({ content }) => textOf(content))
  return [
    ...(texts.length > 0 ? [{ role: 'system' as const, content: texts.join('\n\n') }] : []),
    ...messages
      .slice(leading.length)
      .map(
        (message): Message =>
          isInstruction(message)
            ? { role: 'user', content: `<system>\n${textOf(message.content)}\n</system>` }
            : message,
      ),
  ]
}

function omitReasoning(message: Message): Message {
  return 'reasoning_content' in message ? omitFields(message, ['reasoning_content']) : message
}

function adaptEffort(effort: string, quirks: Quirks, reasons: boolean): string | null {
  if (quirks.thinking === 'none' || !reasons) return null
  const known = EFFORTS.find((each) => each === effort)
  if (!known) return effort
  const { efforts } = quirks
  const [weakest, ...stronger] = efforts ?? []
  if (weakest) return nearestEffort(known, [weakest, ...stronger])
  const canDisable = quirks.reasoningOffByDefault || quirks.noReasoningWithTools
  if (known === 'none') return canDisable ? known : null
  // Every model with efforts has these.
  const usual: [Effort, ...Effort[]] = ['low', 'medium', 'high']
  return nearestEffort(known, usual)
}

interface Model {
  /** Whether it is known to reason. */
  reasons: boolean
  /** The most tokens that it can answer with. */
  outputTokens: number
}

export function adaptTranslated(
  request: ChatRequest,
  quirks: Quirks,
  { reasons, outputTokens }: Model,
): ChatRequest {
  const { reasoning_effort: effort, max_completion_tokens: limit, tools } = request
  const bare = quirks.cacheControl ? request.messages : request.messages.map(omitMarks)
  const adapted: ChatRequest = {
    ...request,
    messages: quirks.openaiOwned ? bare.map(omitReasoning) : placeInstructions(bare),
    ...(tools && !quirks.cacheControl && { tools: tools.map(withoutMarks) }),
  }
  if (typeof limit === 'number') adapted.max_completion_tokens = Math.min(limit, outputTokens)
  if (typeof effort === 'string') adapted.reasoning_effort = adaptEffort(effort, quirks, reasons)
  if (adapted.reasoning_effort === null) delete adapted.reasoning_effort
  return adapted
}
