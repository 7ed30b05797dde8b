import type { ProviderFormat } from '../../shared/providers.ts'
import { sandboxAdapter } from '../sandbox/adapter.ts'
import type { UpstreamAdapter } from './adapter.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { createHttpAdapter } from './http-adapter.ts'

/** The adapter for providers of a format. */
export type AdapterFor = (format: ProviderFormat) => UpstreamAdapter

export function createAdapters(pool: UpstreamPool): AdapterFor {
  const http = createHttpAdapter(pool)
  return (format) => (format === 'sandbox' ? sandboxAdapter : http)
}
