import { ModelId } from '../../../shared/models.ts'
import type { UpstreamModel } from '../../formats/chat/codec-types.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import type { AdapterFor } from '../../upstream/adapters.ts'
import type { UpstreamPool } from '../../upstream/connection-pool.ts'
import { CredentialRotation } from '../../upstream/credential-rotation.ts'
import { addLocalDetails } from '../../upstream/local-servers.ts'
import { knownProvider } from '../providers/known-providers.ts'
import type { ModelListSource } from '../providers/model-list-source.ts'
import { listVendorModels } from './model-data.ts'

const LIST_TIMEOUT_MS = 20_000

export interface ModelReader {
  adapterFor: AdapterFor
  pool: UpstreamPool
}

/** Reads the provider's list of models; tries each credential until one is accepted. Throws UpstreamFailure. */
export async function readModels(
  { row: { id }, endpoint, credentialOrder, credential: read }: ModelListSource,
  { adapterFor, pool }: ModelReader,
): Promise<UpstreamModel[]> {
  const source = {
    ...endpoint,
    totalTimeoutMs: Math.min(endpoint.totalTimeoutMs, LIST_TIMEOUT_MS),
    firstByteTimeoutMs: Math.min(endpoint.firstByteTimeoutMs, LIST_TIMEOUT_MS),
  }
  const rotation = new CredentialRotation(credentialOrder)
  for (;;) {
    try {
      const credential = await read(rotation.current)
      if (credential === null && endpoint.needsCredential) {
        throw new UpstreamFailure({
          kind: 'credential',
          message: 'No credential is set for this provider.',
        })
      }
      const call = { source, credential, signal: new AbortController().signal }
      const listed = await adapterFor(endpoint.apiFormat).listModels(call)
      const models = listed.filter((model) => ModelId.safeParse(model.id).success)
      const known = knownProvider(id)
      const kind = known?.localDetails
      const { priceId = '', modelVendor = priceId, listedModels } = known ?? {}
      if (listedModels) {
        const ids =
          listedModels instanceof RegExp ? listVendorModels(modelVendor, listedModels) : listedModels
        return ids.map((model) => ({ id: model }))
      }
      return kind ? await addLocalDetails(models, kind, call, pool) : models
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || !rotation.advance(error)) throw error
    }
  }
}
