import type { FastifyInstance } from 'fastify'
import type { Log } from '../platform/log.ts'
import { displayPath } from './endpoints.ts'

/** At level debug, logs every request: method, path without the query, status and duration. */
export function logRequests(app: FastifyInstance, log: Log): void {
  if (!log.isLevelEnabled('debug')) return
  app.addHook('onResponse', async ({ id, raw }, reply) => {
    const { method = '', url = '' } = raw
    log.debug('Request', {
      requestId: id,
      method,
      path: displayPath(url),
      status: reply.raw.statusCode,
      durationMs: Math.round(reply.elapsedTime),
    })
  })
}
