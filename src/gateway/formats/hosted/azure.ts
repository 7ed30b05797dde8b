// Azure OpenAI, API version v1: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle. A model is called by the
// name of its deployment. The v1 API lists the models that could be deployed, not the deployments; those are only listed
// by a preview version of the older API, which Azure's own tools and others still use (langflow-ai/langflow#14509).
import type { FormatCodec, ModelListAddress, UpstreamModel } from '../chat/codec.ts'
import { isObject } from '../json/json.ts'

const DEPLOYMENTS = '/openai/deployments?api-version=2023-03-15-preview'
const MAX_ID_LENGTH = 200

/** A format of OpenAI as Azure hosts it. */
export function hostOnAzure(codec: FormatCodec): FormatCodec {
  return { ...codec, modelLists, models: readDeployments }
}

function modelLists(baseUrl: string): ModelListAddress[] {
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
  if (!isObject(row) || row.object !== 'deployment' || typeof row.id !== 'string') return null
  if (row.id === '' || row.id.length > MAX_ID_LENGTH || /\p{Cc}/u.test(row.id)) return null
  if (row.status !== undefined && row.status !== 'succeeded') return null
  return { id: row.id, ...(typeof row.model === 'string' && row.model !== '' && { vendorModel: row.model }) }
}
