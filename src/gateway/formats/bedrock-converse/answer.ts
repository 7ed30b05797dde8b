// Content blocks and stop reasons, for plain answers and streams. Source: AWS's API reference, `ContentBlock` and `StopReason`.
import { type AnswerParts, createParts } from '../chat/answers.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import type { ReasoningSignatures, SignedReasoning } from '../chat/reasoning.ts'
import { asObject, isObject, type JsonObject, listObjects, stringOr } from '../json/json.ts'

const FINISH_REASONS: ReadonlyMap<string, 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'failed'> =
  new Map([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['content_filtered', 'content_filter'],
    ['guardrail_intervened', 'content_filter'],
    ['malformed_model_output', 'failed'],
    ['malformed_tool_use', 'failed'],
  ])

/** The finish reason in the clients' format, or a failure; an unknown reason becomes `stop`. */
export function toFinishReason(stopReason: string): string | UpstreamFailure {
  const finish = FINISH_REASONS.get(stopReason) ?? 'stop'
  if (finish !== 'failed') return finish
  return new UpstreamFailure({
    kind: 'malformed',
    final: true,
    code: stopReason,
    message: `The model's answer was not usable (${stopReason}).`,
  })
}

/** The reasoning of a block as it has to be sent back: signed or encrypted. Null for one that is neither. */
export function readSigned(model: string, reasoning: JsonObject): JsonObject | null {
  const { reasoningText, redactedContent } = reasoning
  const { signature } = asObject(reasoningText)
  const isSigned = typeof signature === 'string' && signature !== ''
  if (!isSigned && typeof redactedContent !== 'string') return null
  return { model, reasoningContent: isSigned ? { reasoningText } : { redactedContent } }
}

/** Whether `readSigned` made the value of this model's reasoning. */
export function isOwnReasoning(upstreamModel: string, { model, reasoningContent }: JsonObject): boolean {
  return (
    model === upstreamModel &&
    isObject(reasoningContent) &&
    readSigned(upstreamModel, reasoningContent) !== null
  )
}

/** Signed reasoning until it is known what it precedes. */
export class ReasoningPlaces {
  readonly #signatures: ReasoningSignatures
  /** Before the next call. */
  #remembered: JsonObject[] = []
  #unsent: JsonObject[] = []

  constructor(signatures: ReasoningSignatures) {
    this.#signatures = signatures
  }

  add(signed: JsonObject | null): void {
    if (!signed) return
    this.#remembered.push(signed)
    this.#unsent.push(signed)
  }

  /** Takes what precedes the call, and remembers it for clients that drop unknown fields. */
  takeForCall(callId: string): SignedReasoning[] {
    if (this.#remembered.length > 0) this.#signatures.remember(callId, JSON.stringify(this.#remembered))
    this.#remembered = []
    return this.take(callId)
  }

  take(callId?: string): SignedReasoning[] {
    const call = callId === undefined ? {} : { call_id: callId }
    return this.#unsent.splice(0).map((data) => ({ format: 'bedrock-converse', data, ...call }))
  }
}

/** A generated image in the shape of OpenRouter's answers: `images`. */
export function readImage(image: unknown): JsonObject[] {
  const { format, source } = asObject(image)
  const { bytes } = asObject(source)
  if (typeof format !== 'string' || typeof bytes !== 'string') return []
  return [{ type: 'image_url', image_url: { url: `data:image/${format};base64,${bytes}` } }]
}

/** The tools that Bedrock runs itself have a type. */
export function isClientCall(toolUse: unknown): toolUse is JsonObject {
  return isObject(toolUse) && toolUse.type === undefined
}

export function readContent(
  blocks: readonly JsonObject[],
  { model, signatures }: { model: string; signatures: ReasoningSignatures },
): AnswerParts & { images: JsonObject[] } {
  const read = { ...createParts(), images: [] as JsonObject[] }
  const places = new ReasoningPlaces(signatures)
  for (const block of blocks) {
    const { text, toolUse, reasoningContent, citationsContent, image } = block
    if (typeof text === 'string') {
      read.signed.push(...places.take())
      read.text += text
    } else if (isObject(reasoningContent)) {
      read.reasoning += stringOr(asObject(reasoningContent.reasoningText).text, '')
      places.add(readSigned(model, reasoningContent))
    } else if (isClientCall(toolUse)) {
      const id = stringOr(toolUse.toolUseId, '')
      read.signed.push(...places.takeForCall(id))
      const called = { name: stringOr(toolUse.name, ''), arguments: JSON.stringify(toolUse.input ?? {}) }
      read.calls.push({ id, type: 'function', function: called })
    } else if (image !== undefined) read.images.push(...readImage(image))
    else {
      for (const part of listObjects(asObject(citationsContent).content)) read.text += stringOr(part.text, '')
      // Parts of other formats have a type.
      read.others.push({ type: Object.keys(block)[0], ...block })
    }
  }
  read.signed.push(...places.take())
  return read
}
