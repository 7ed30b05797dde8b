// Requests for a text completion at providers of OpenAI's format that have the endpoint. Their answers are read as chat
// completions, whose choices have a message or a delta instead of a text.

import type { EncodedRequest, NativeRequest } from '../chat/codec.ts'
import { limitOutput, type Target } from '../chat/target.ts'
import { editMembers } from '../json/edit-json.ts'

export const COMPLETIONS_PATH = '/completions'
/** Mistral's endpoint, which rejects unknown fields. */
export const FIM_PATH = '/fim/completions'
const UNKNOWN_TO_FIM = [
  'best_of',
  'echo',
  'frequency_penalty',
  'n',
  'presence_penalty',
  'stream_options',
  'user',
]

export function textCompletionRequest(
  { body, json, chatRequest, stream }: NativeRequest,
  target: Target,
): EncodedRequest {
  const { upstreamModel: model, completionsPath: path, quirks } = target
  const limit = limitOutput(chatRequest.max_tokens, target)
  const edits: Record<string, unknown> = { model }
  // Servers without OpenAI's default would complete up to the end of their context.
  if (limit !== null && json.max_tokens !== limit) edits.max_tokens = limit
  if (stream && !quirks.noStreamOptions) {
    const given = json.stream_options
    edits.stream_options = { ...(typeof given === 'object' ? given : {}), include_usage: true }
  }
  for (const [ours, theirs] of Object.entries(quirks.renameFields ?? {})) {
    if (json[ours] === undefined) continue
    edits[theirs] = json[ours]
    edits[ours] = undefined
  }
  const dropped = [...(quirks.dropFields ?? []), ...(path === FIM_PATH ? UNKNOWN_TO_FIM : [])]
  for (const name of dropped) if (name in json) edits[name] = undefined
  return {
    path: path ?? COMPLETIONS_PATH,
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
    },
    body: editMembers(body, edits),
  }
}
