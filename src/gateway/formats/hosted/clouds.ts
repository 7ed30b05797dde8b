// Clouds that serve the API formats of other vendors: Amazon Bedrock, Azure OpenAI and Google Vertex AI.
import { anthropicMessages } from '../anthropic-messages/codec.ts'
import { listBedrockModels, readBedrockError } from '../bedrock-converse/models.ts'
import type { EncodedRequest, FormatCodec, ModelListAddress, UpstreamModel } from '../chat/codec-types.ts'
import { identifyModel } from '../chat/models.ts'
import { geminiGenerate } from '../gemini-generate/codec.ts'
import { editMembers, removeMember } from '../json/edit-json.ts'
import { isObject } from '../json/json.ts'

// Amazon Bedrock: InvokeModel for Anthropic's models, and its endpoint in OpenAI's formats. Sources: AWS's API references
// "InvokeModel" and "InvokeModelWithResponseStream".

export const bedrockClaude: FormatCodec = hostClaude({
  path: (model, stream) =>
    `/model/${encodeURIComponent(model)}/${stream ? 'invoke-with-response-stream' : 'invoke'}`,
  version: 'bedrock-2023-05-31',
  dropMembers: ['stream'],
  betaInBody: true,
  streamType: 'application/vnd.amazon.eventstream',
  errorBody: readBedrockError,
  ...listBedrockModels(),
})

export function hostOnBedrock(codec: FormatCodec): FormatCodec {
  return {
    ...codec,
    ...listBedrockModels(/^(?:[a-z-]+\.)?openai\./),
    errorBody: (text, response) => {
      const error = codec.errorBody(text, response)
      return error.message === text.trim() ? readBedrockError(text, response) : error
    },
  }
}

// Azure OpenAI, API version v1: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle. A model is called by the
// name of its deployment. The v1 API lists the models that could be deployed, not the deployments; those are only listed
// by a preview version of the older API, which Azure's own tools and others still use (langflow-ai/langflow#14509).

const DEPLOYMENTS = '/openai/deployments?api-version=2023-03-15-preview'

export function hostOnAzure(codec: FormatCodec): FormatCodec {
  return { ...codec, modelLists: listDeployments, models: readDeployments }
}

function listDeployments(baseUrl: string): ModelListAddress[] {
  return [
    // Read first, for a clear error if the credential or the address is wrong.
    { url: `${baseUrl}/models` },
    // Without the older API the user adds the deployments under Models.
    { url: new URL(DEPLOYMENTS, baseUrl).href, emptyAt: [400, 404] },
  ]
}

/** The deployments in a list; none in a list of models that could be deployed. */
function readDeployments(body: unknown, limit: number): UpstreamModel[] | null {
  if (!isObject(body) || !Array.isArray(body.data)) return null
  return body.data.flatMap((row) => readDeployment(row) ?? []).slice(0, limit)
}

function readDeployment(row: unknown): UpstreamModel | null {
  if (!isObject(row) || row.object !== 'deployment') return null
  if (row.status !== undefined && row.status !== 'succeeded') return null
  const identity = identifyModel(row.id, null)
  const { model } = row
  return identity && { ...identity, ...(typeof model === 'string' && model !== '' && { vendorModel: model }) }
}

// Google Vertex AI. Its base URL ends with a publisher: `/v1/projects/P/locations/L/publishers/google`. Sources: Google Cloud's
// references "Generate content with the Gemini API in Vertex AI" and "Request predictions with Claude models".

/**
 * Vertex AI has no complete list of the models that a project can call: the provider's row lists them. Reading the project's
 * own models instead checks the login, the project and the location; some locations do not have that list.
 */
const lists: Pick<FormatCodec, 'modelLists' | 'models' | 'nextPage'> = {
  modelLists: (baseUrl) => [
    { url: `${baseUrl.replace(/\/publishers\/[^/]+$/, '')}/models?pageSize=1`, emptyAt: [400, 404, 501] },
  ],
  models: (body): UpstreamModel[] | null => (isObject(body) ? [] : null),
  nextPage: () => null,
}

export const vertexGemini: FormatCodec = { ...geminiGenerate, ...lists }

/** Vertex AI writes the date of a model after `@`. */
function versioned(model: string): string {
  return model.replace(/-(\d{8})$/, '@$1')
}

export const vertexClaude: FormatCodec = hostClaude({
  ...lists,
  path: (model, stream) =>
    `/models/${encodeURIComponent(versioned(model))}:${stream ? 'streamRawPredict' : 'rawPredict'}`,
  version: 'vertex-2023-10-16',
  dropMembers: [],
  betaInBody: false,
  streamType: 'text/event-stream',
  // Its own errors have Anthropic's shape, but for the type; those of the model are Anthropic's.
  errorBody: geminiGenerate.errorBody,
})

// Anthropic's Messages format as clouds host it: the model is in the path, and the version is in the body.

interface ClaudeHosting extends Pick<FormatCodec, 'modelLists' | 'models' | 'nextPage' | 'errorBody'> {
  path(model: string, stream: boolean): string
  /** The body's `anthropic_version`. */
  version: string
  /** Members that the cloud rejects, besides the model. */
  dropMembers: readonly string[]
  /** Beta features are members of the body instead of a header. */
  betaInBody: boolean
  streamType: string
}

const BETA = 'anthropic-beta'

function hostClaude(hosting: ClaudeHosting): FormatCodec {
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
        answerHeaders: native.answerHeaders,
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
