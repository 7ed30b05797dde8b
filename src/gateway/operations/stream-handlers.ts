import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Backup } from '../../shared/api/account.ts'
import type { Call, WritingHandlers } from '../http/calls.ts'
import { DATABASE_FILE, readFileBody } from '../http/read-body.ts'
import type { RequestContext } from '../http/request-context.ts'
import { addPathToBody } from './count-tokens.ts'
import { EventStreams } from './event-streams.ts'
import { createInferenceHandlers, serveInference } from './inference.ts'
import { createResponse } from './responses.ts'
import type { GatewayServices } from './services.ts'

/** Creates the handlers of the core that write their responses themselves, by the ids of operations. */
export function createStreamHandlers(services: GatewayServices) {
  const eventStreams = new EventStreams(services)
  const handlers: Partial<WritingHandlers> = {
    generateContent: (call) => serveInference(addPathToBody(call, false), 'gemini-generate', services),
    streamGenerateContent: (call) => serveInference(addPathToBody(call, true), 'gemini-generate', services),
    createResponse: (call) => createResponse(call, services),
    getBackupFile: (call) => sendBackupFile(call, services),
    streamEvents: (call) => eventStreams.open(call),
  }
  return [...createInferenceHandlers(services), ...Object.entries(handlers)]
}

const DATABASE_TYPE = 'application/vnd.sqlite3'

/** Sends the file of a backup, in chunks. Throws 404. */
async function sendBackupFile(
  { id, context }: Call<'getBackupFile'>,
  { backups }: GatewayServices,
): Promise<void> {
  const { response, method, headers } = context
  const file = await open(await backups.getPath(id))
  try {
    response.writeHead(200, {
      ...headers,
      'content-type': DATABASE_TYPE,
      'content-length': (await file.stat()).size,
      'content-disposition': `attachment; filename="${id}"`,
    })
    if (method === 'HEAD') response.end()
    else await pipeline(file.createReadStream({ autoClose: false }), response)
  } finally {
    await file.close()
  }
}

/** Adds a backup from the body, which is written to the disk as it arrives. Throws 400, 413, 415 and ClientDisconnected. */
export function importBackupFile(context: RequestContext, { backups }: GatewayServices): Promise<Backup> {
  return backups.import(readFileBody(context, DATABASE_FILE))
}
