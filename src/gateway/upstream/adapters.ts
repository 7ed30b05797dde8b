import type { ProviderFormat } from '../../shared/providers.ts'
import { codecFor } from '../formats/codecs.ts'
import type { UpstreamAdapter } from './adapter.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { sendHttpCall } from './http-call.ts'
import { listHttpModels } from './list-models.ts'
import { forwardJson } from './read-json.ts'

/** The adapter for providers of a format. */
export type AdapterFor = (format: ProviderFormat) => UpstreamAdapter

/** Loaded when it is first called, as most gateways do without it. */
const loadSandbox = async () => (await import('../sandbox/adapter.ts')).sandboxAdapter

const sandbox: UpstreamAdapter = {
  usesCredentials: false,
  encode: () => null,
  send: async (call) => (await loadSandbox()).send(call),
  listModels: async () => (await loadSandbox()).listModels(),
}

export function createAdapters(pool: UpstreamPool): AdapterFor {
  const http = createHttpAdapter(pool)
  return (format) => (format === 'sandbox' ? sandbox : http)
}

export function createHttpAdapter(pool: UpstreamPool): UpstreamAdapter {
  return {
    usesCredentials: true,
    encode: (request, target) => codecFor(target).chatRequest(request, target),
    send: (call) => sendHttpCall(call, pool),
    forward: (call) => forwardJson(call, pool),
    listModels: (call) => listHttpModels(call, pool),
  }
}
