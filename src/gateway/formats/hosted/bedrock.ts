// Amazon Bedrock: InvokeModel for Anthropic's models, and its endpoint in OpenAI's formats. Sources: AWS's API references
// "InvokeModel", "InvokeModelWithResponseStream", "ListFoundationModels" and "ListInferenceProfiles".
import { printable } from '../../../shared/visible-text.ts'
import type { FormatCodec, ModelListAddress, UpstreamErrorBody, UpstreamModel } from '../chat/codec.ts'
import { isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'
import { hostClaude } from './claude.ts'

const MAX_ID_LENGTH = 200

/** The lists are on the host of the control plane, whose name lacks `-runtime`. */
function modelLists(baseUrl: string): ModelListAddress[] {
  const { origin } = new URL(baseUrl)
  const control = origin.replace('//bedrock-runtime', '//bedrock')
  return [
    { url: `${control}/foundation-models?byOutputModality=TEXT` },
    // Many models can only be called by the name of a profile that names the regions.
    { url: `${control}/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED`, emptyAt: [403] },
  ]
}

function nextPage(body: unknown): string | null {
  const token = isObject(body) ? body.nextToken : null
  return typeof token === 'string' && token !== '' ? `nextToken=${encodeURIComponent(token)}` : null
}

/** Reads the models and the profiles of one maker. */
function modelsOf(maker: string): FormatCodec['models'] {
  const pattern = new RegExp(`^(?:[a-z-]+\\.)?${maker}\\.`)
  return (body, limit) => {
    if (!isObject(body)) return null
    const { modelSummaries: models, inferenceProfileSummaries: profiles } = body
    const read = Array.isArray(models)
      ? models.flatMap((row) => readFoundationModel(row) ?? [])
      : Array.isArray(profiles)
        ? profiles.flatMap((row) => readProfile(row) ?? [])
        : null
    return read?.filter(({ id }) => pattern.test(id)).slice(0, limit) ?? null
  }
}

function readFoundationModel(row: unknown): UpstreamModel | null {
  if (!isObject(row)) return null
  const { inferenceTypesSupported: types, modelLifecycle: lifecycle } = row
  // The others need a profile, or throughput that was bought.
  if (Array.isArray(types) && !types.includes('ON_DEMAND')) return null
  if (isObject(lifecycle) && lifecycle.status !== undefined && lifecycle.status !== 'ACTIVE') return null
  return toModel(row.modelId, row.modelName)
}

function readProfile(row: unknown): UpstreamModel | null {
  if (!isObject(row) || (row.status !== undefined && row.status !== 'ACTIVE')) return null
  return toModel(row.inferenceProfileId, row.inferenceProfileName)
}

function toModel(id: unknown, name: unknown): UpstreamModel | null {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH || /\p{Cc}/u.test(id)) return null
  const text = printable(stringOr(name, ''))
  return { id, ...(text !== '' && { name: text.slice(0, MAX_ID_LENGTH) }) }
}

/** AWS's error responses have a message only; its type is in a header. */
function errorBody(text: string): UpstreamErrorBody {
  const value = parseJson(text)
  const body: JsonObject = isObject(value) ? value : {}
  const message = stringOr(body.message, stringOr(body.Message, isObject(value) ? '' : text.trim()))
  return { message, code: null, param: null, type: null }
}

export const bedrockClaude: FormatCodec = hostClaude({
  path: (model, stream) =>
    `/model/${encodeURIComponent(model)}/${stream ? 'invoke-with-response-stream' : 'invoke'}`,
  version: 'bedrock-2023-05-31',
  dropMembers: ['stream'],
  betaInBody: true,
  streamType: 'application/vnd.amazon.eventstream',
  errorBody,
  modelLists,
  nextPage,
  models: modelsOf('anthropic'),
})

/** A format of OpenAI as Amazon Bedrock hosts it. */
export function hostOnBedrock(codec: FormatCodec): FormatCodec {
  return {
    ...codec,
    modelLists,
    nextPage,
    models: modelsOf('openai'),
    errorBody: (text) => {
      const own = codec.errorBody(text)
      return own.message === text.trim() ? errorBody(text) : own
    },
  }
}
