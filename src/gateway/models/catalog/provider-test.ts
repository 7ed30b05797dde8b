import type { ProviderTest } from '../../../shared/providers.ts'
import type { UpstreamModel } from '../../formats/chat/codec-types.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import type { UpstreamPool } from '../../upstream/connection-pool.ts'
import type { ModelListSource } from '../providers/model-list-source.ts'
import { listOtherBaseUrls } from './other-base-urls.ts'
import { describeTestFailure } from './test-failure.ts'

/** Time limits of a call to a base URL that the user did not enter, in milliseconds. */
const GUESS_LIMITS = { connectTimeoutMs: 2_000, firstByteTimeoutMs: 4_000, totalTimeoutMs: 5_000 }

type Read = (source: ModelListSource) => Promise<UpstreamModel[]>

/**
 * Reads the provider's list of models. After a failure that the base URL may have caused, it looks for the right one on
 * the same host.
 */
export async function testProvider(
  source: ModelListSource,
  read: Read,
  { clock, outbound }: Pick<UpstreamPool, 'clock' | 'outbound'>,
): Promise<ProviderTest> {
  const startedAt = clock.monotonic()
  const result = await readOrFail(source, read)
  const latencyMs = Math.round(clock.monotonic() - startedAt)
  if (!(result instanceof UpstreamFailure)) return { ok: true, latencyMs, modelCount: result.length }
  const suggestedBaseUrl = await findBaseUrl(source, result, read)
  const isUnreached =
    result.kind === 'timeout' || (result.kind === 'network' && result.reason !== 'certificate')
  const advice = isUnreached ? await outbound.advise(source.endpoint) : null
  return {
    ok: false,
    latencyMs,
    modelCount: 0,
    error: [describeTestFailure(result, source), ...(advice === null ? [] : [advice])].join(' '),
    ...(suggestedBaseUrl !== null && { suggestedBaseUrl }),
  }
}

function readOrFail(source: ModelListSource, read: Read): Promise<UpstreamModel[] | UpstreamFailure> {
  return read(source).catch((error: unknown) => {
    if (error instanceof UpstreamFailure) return error
    throw error
  })
}

async function findBaseUrl(
  source: ModelListSource,
  failure: UpstreamFailure,
  read: Read,
): Promise<string | null> {
  const baseUrls = listOtherBaseUrls(source, failure)
  const results = await Promise.all(
    baseUrls.map((baseUrl) =>
      readOrFail({ ...source, endpoint: { ...source.endpoint, ...GUESS_LIMITS, baseUrl } }, read),
    ),
  )
  return baseUrls.find((_, index) => isAnswer(results[index])) ?? null
}

/** A list, or the rejection of the credential by a server that has one. */
function isAnswer(result: UpstreamModel[] | UpstreamFailure | undefined): boolean {
  if (result instanceof UpstreamFailure) return result.status === 401 || result.status === 403
  return result !== undefined
}
