import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Backup } from '../../shared/account.ts'
import { requireDatabase } from '../http/read-body.ts'
import type { Exchange } from '../http/request-context.ts'
import { invalidRequest } from '../platform/errors.ts'
import { ClientDisconnected } from '../request/in-flight.ts'
import type { StreamCall } from './operation-call.ts'
import type { GatewayServices } from './services.ts'

const DATABASE_TYPE = 'application/vnd.sqlite3'
const MAX_BYTES = 4 * 1024 ** 3

/** Sends the file of a backup, in chunks. Throws 404. */
export async function sendBackupFile(
  { id, exchange }: StreamCall<'getBackupFile'>,
  { backups }: GatewayServices,
): Promise<void> {
  const { response, method, headers } = exchange
  const file = await open(await backups.pathOf(id))
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
export async function importBackupFile(
  { request, response }: Exchange,
  { backups }: GatewayServices,
): Promise<Backup> {
  requireDatabase(request)
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) throw tooLarge()
  if (request.headers.expect !== undefined) response.writeContinue()
  return await backups.import(limited(request)).catch((thrown: unknown) => {
    if (request.destroyed && !request.complete) throw new ClientDisconnected()
    throw thrown
  })
}

async function* limited(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw tooLarge()
    yield chunk
  }
}

function tooLarge() {
  return invalidRequest('The file is larger than 4 GB.', { status: 413 })
}
