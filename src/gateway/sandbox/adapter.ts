// The built-in provider, as an upstream adapter: it answers inside this process, always the same for the same request.

import { randomUUID } from 'node:crypto'
import { type ChatRequest, outputLimit } from '../../shared/formats/chat.ts'
import type { ChatCompletion } from '../../shared/formats/chat-completion.ts'
import { limitOutput, type Target, type UpstreamModel } from '../formats/chat/codec-types.ts'
import type { Answer } from '../formats/chat/events.ts'
import { knownRequest } from '../formats/chat/message-content.ts'
import { createAnswer, type SandboxAnswer, type SandboxChoice } from './answer.ts'
import { findSandboxModel, sandboxModels } from './models.ts'
import { createFailure, interrupt, streamAnswer, wait } from './stream.ts'

const DEFAULT_MAX_OUTPUT = 4096

interface SandboxCall {
  target: Target
  request: ChatRequest
  signal: AbortSignal
}

export const sandboxAdapter = {
  send: sendToSandbox,
  listModels: async (): Promise<UpstreamModel[]> =>
    sandboxModels.map((model) => ({ ...model, capabilities: [...model.capabilities] })),
}

async function sendToSandbox({ target, request, signal }: SandboxCall): Promise<Answer> {
  const model = findSandboxModel(target.upstreamModel)
  const max = model?.maxOutputTokens ?? DEFAULT_MAX_OUTPUT
  const limit = limitOutput(outputLimit(request), target) ?? max
  const answer = createAnswer(knownRequest(request), Math.min(limit, max))
  await delayFirstByte(answer, target, signal)
  const { error, cut, stall } = answer.commands
  if (error !== null)
    throw createFailure(`failed with status ${error}`, {
      kind: 'status',
      status: error,
      code: 'sandbox_error',
    })
  const identity = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: target.upstreamModel,
  }
  if (request.stream) {
    return { kind: 'stream', events: streamAnswer(answer, identity, target.stallTimeoutMs, signal) }
  }
  if (cut || stall) await interrupt(stall, target.stallTimeoutMs, signal)
  const completion: ChatCompletion = {
    ...identity,
    object: 'chat.completion',
    choices: answer.choices.map((choice, index) => ({
      index,
      message: getMessage(choice),
      logprobs: null,
      finish_reason: choice.finishReason,
    })),
  }
  return { kind: 'plain', completion, usage: answer.usage }
}

async function delayFirstByte(
  { commands }: SandboxAnswer,
  target: Target,
  signal: AbortSignal,
): Promise<void> {
  const ms = Math.min(commands.slow, target.firstByteTimeoutMs)
  await wait(ms, signal)
  if (commands.slow > 0 && commands.slow >= target.firstByteTimeoutMs)
    throw createFailure('sent nothing in time', { kind: 'timeout' })
}

function getMessage({ tokens, toolCall }: SandboxChoice): ChatCompletion['choices'][number]['message'] {
  if (toolCall) return { role: 'assistant', content: null, refusal: null, tool_calls: [toolCall] }
  return { role: 'assistant', content: tokens.join(''), refusal: null }
}
