// Anthropic's Messages format as clouds host it: the model is in the path, and the version is in the body.
import { anthropicMessages } from '../anthropic-messages/codec.ts'
import type { EncodedRequest, FormatCodec } from '../chat/codec.ts'
import { editMembers, removeMember } from '../json/edit-json.ts'

export interface ClaudeHosting extends Pick<FormatCodec, 'modelLists' | 'models' | 'nextPage' | 'errorBody'> {
  path(model: string, stream: boolean): string
  /** The body's `anthropic_version`. */
  version: string
  /** Members that the cloud rejects, besides the model. */
  dropMembers: readonly string[]
  /** Beta features are members of the body instead of a header. */
  betaInBody: boolean
  /** The media type of streams. */
  streamType: string
}

const BETA = 'anthropic-beta'

export function hostClaude(hosting: ClaudeHosting): FormatCodec {
  const { path, version, dropMembers, betaInBody, streamType, ...lists } = hosting
  const place = ({ headers, body }: EncodedRequest, model: string, stream: boolean): EncodedRequest => {
    const { 'anthropic-version': _, [BETA]: beta, ...others } = headers
    const placed = ['model', ...dropMembers].reduce(removeMember, body)
    return {
      path: path(model, stream),
      headers: {
        ...others,
        accept: stream ? streamType : 'application/json',
        ...(beta !== undefined && !betaInBody && { [BETA]: beta }),
      },
      body: editMembers(placed, {
        anthropic_version: version,
        ...(beta !== undefined && betaInBody && { anthropic_beta: splitList(beta) }),
      }),
    }
  }
  const { native } = anthropicMessages
  return {
    ...anthropicMessages,
    ...lists,
    headers: {},
    chatRequest: (request, target) =>
      place(anthropicMessages.chatRequest(request, target), target.upstreamModel, request.stream === true),
    ...(native && {
      native: {
        clientHeaders: native.clientHeaders,
        request: (asked, target) => place(native.request(asked, target), target.upstreamModel, asked.stream),
        ...(native.addCost && { addCost: native.addCost }),
      },
    }),
  }
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
