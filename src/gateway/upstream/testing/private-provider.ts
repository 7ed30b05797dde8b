import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { listen } from '../../testing/listen.ts'
import { testCompletion } from './test-upstream.ts'

const find = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

export const AUTHORITY_FILE = find('private-ca.pem')

/** A provider with a certificate of the private authority, for models.example. */
export async function startPrivateProvider() {
  const credentials: unknown[] = []
  const key = readFileSync(find('private-ca-leaf-key.pem'))
  const cert = readFileSync(find('private-ca-leaf-cert.pem'))
  const server = createServer({ key, cert }, (request, response) => {
    credentials.push(request.headers.authorization)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(testCompletion('Hello')))
  })
  const port = await listen(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port, credentials }
}
