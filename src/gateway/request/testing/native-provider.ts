import type { ApiFormat } from '../../../shared/api/providers.ts'
import { startTestGateway, type TestGateway } from '../../testing/gateway.ts'
import {
  startTestUpstream,
  type TestHandler,
  type TestUpstream,
} from '../../upstream/testing/test-upstream.ts'

interface NativeProvider {
  gateway: TestGateway
  upstream: TestUpstream
  close(): Promise<void>
}

/** Starts a gateway with one provider, whose API format is the one of the test's requests. */
export async function startNativeProvider(
  provider: { id: string; path: string; models: readonly string[]; apiFormat: ApiFormat },
  handler: TestHandler,
): Promise<NativeProvider> {
  const { id, path, models, apiFormat } = provider
  const gateway = await startTestGateway()
  const upstream = await startTestUpstream(handler)
  await gateway.addProvider(id, upstream.url + path, models, { apiFormat })
  return {
    gateway,
    upstream,
    async close() {
      await gateway.close()
      await upstream.close()
    },
  }
}
