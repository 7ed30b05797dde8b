// Amazon Bedrock's lists of models, and its errors, in whatever format a model is called. Sources: AWS's API references
// "ListFoundationModels", "ListInferenceProfiles" and "Common errors".
import type { FormatCodec, ModelListAddress, UpstreamModel } from '../chat/codec-types.ts'
import { errorStatus, type UpstreamErrorBody } from '../chat/failure.ts'
import { encodePageQuery, identifyModel } from '../chat/models.ts'
import { asList, asObject, isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'

/** The lists are on the host of the control plane, whose name lacks `-runtime`. */
function modelLists(baseUrl: string): ModelListAddress[] {
  const control = baseUrl.replace(/\/openai\/v1$/, '').replace('//bedrock-runtime', '//bedrock')
  return [
    { url: `${control}/foundation-models?byOutputModality=TEXT` },
    // Many models can only be called by the name of a profile that names the regions.
    { url: `${control}/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED`, emptyAt: [403] },
  ]
}

/** Models that do not chat, or are called in other ways. Profiles do not say what theirs writes. */
const OTHER_MODELS = /rerank|embed|pegasus|sonic|canvas|reel|(?:^|\.)(?:luma|stability)\./

/** The lists of the models that match. */
export function listBedrockModels(
  pattern = /^/,
): Required<Pick<FormatCodec, 'modelLists' | 'nextPage' | 'models'>> {
  return {
    modelLists,
    nextPage: (body) => encodePageQuery('nextToken', asObject(body).nextToken),
    models: (body, limit) => {
      if (!isObject(body)) return null
      const { modelSummaries: models, inferenceProfileSummaries: profiles } = body
      const read = Array.isArray(models)
        ? models.flatMap((row) => readFoundationModel(row) ?? [])
        : Array.isArray(profiles)
          ? profiles.flatMap((row) => readProfile(row) ?? [])
          : null
      const called = read?.filter(({ id }) => pattern.test(id) && !OTHER_MODELS.test(id))
      return called?.slice(0, limit) ?? null
    },
  }
}

function readFoundationModel(row: unknown): UpstreamModel | null {
  if (!isObject(row)) return null
  const { inferenceTypesSupported: types, modelLifecycle: lifecycle } = row
  // The others need a profile, or throughput that was bought.
  if (Array.isArray(types) && !types.includes('ON_DEMAND')) return null
  if (isObject(lifecycle) && lifecycle.status !== undefined && lifecycle.status !== 'ACTIVE') return null
  if (row.inputModalities !== undefined && !asList(row.inputModalities).includes('TEXT')) return null
  return identifyModel(row.modelId, row.modelName)
}

function readProfile(row: unknown): UpstreamModel | null {
  if (!isObject(row) || (row.status !== undefined && row.status !== 'ACTIVE')) return null
  return identifyModel(row.inferenceProfileId, row.inferenceProfileName)
}

/** The statuses of errors that say something else than the response's own: an account's quota is no fault of the request. */
const STATUSES: ReadonlyMap<string, number> = new Map([['ServiceQuotaExceededException', 429]])
/** A model that fails, as AWS's status for it says; other clients take it for an error of the request. */
const FAILED_DEPENDENCY = 424

/** AWS names the type of an error in a header, with an address after a colon, or in the body. */
export function readBedrockError(
  text: string,
  { status, headers }: { status: number; headers: Readonly<Record<string, unknown>> },
): UpstreamErrorBody {
  const value = parseJson(text)
  const body: JsonObject = asObject(value)
  const message = stringOr(body.message, stringOr(body.Message, isObject(value) ? '' : text.trim()))
  const type = stringOr(headers['x-amzn-errortype'], stringOr(body.__type, ''))
  const code = /(?:^|#)(\w+)(?:$|:)/.exec(type)?.[1] ?? null
  const meant =
    STATUSES.get(code ?? '') ??
    (status === FAILED_DEPENDENCY ? errorStatus(body.originalStatusCode, 502) : null)
  return { message, code, param: null, type: null, ...(meant !== null && { status: meant }) }
}
