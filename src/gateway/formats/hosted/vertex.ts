// Google Vertex AI. Its base URL ends with a publisher: `/v1/projects/P/locations/L/publishers/google`. Sources: Google Cloud's
// references "Generate content with the Gemini API in Vertex AI" and "Request predictions with Claude models".
import type { FormatCodec, UpstreamModel } from '../chat/codec.ts'
import { geminiGenerate } from '../gemini-generate/codec.ts'
import { isObject } from '../json/json.ts'
import { hostClaude } from './claude.ts'

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
  errorBody: (text) => geminiGenerate.errorBody(text),
})
