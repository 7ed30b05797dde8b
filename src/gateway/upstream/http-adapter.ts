import { codecFor } from '../formats/codecs.ts'
import type { UpstreamAdapter } from './adapter.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { forwardJson } from './forward-json.ts'
import { sendHttpCall } from './http-call.ts'
import { listHttpModels } from './list-models.ts'

export function createHttpAdapter(pool: UpstreamPool): UpstreamAdapter {
  return {
    usesCredentials: true,
    encode: (request, target) => codecFor(target).chatRequest(request, target),
    send: (call) => sendHttpCall(call, pool),
    forward: (call) => forwardJson(call, pool),
    listModels: (call) => listHttpModels(call, pool),
  }
}
