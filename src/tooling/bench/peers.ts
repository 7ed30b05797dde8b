// Another gateway to compare with, of a fixed version, installed into the ignored cache folder.
import { delimiter, join } from 'node:path'
import { freePort } from '../../gateway/testing/listen.ts'
import { install } from '../tools/install.ts'
import type { Target } from './chat-request.ts'
import { waitFor } from './clock.ts'
import { getPid, type Processes } from './processes.ts'

/** It has no ledger, limits or prices. */
export const PEER = '@portkey-ai/gateway@1.15.2'
/** The version that works; streams fail with later ones: https://github.com/Portkey-AI/gateway/issues/1389 */
const OVERRIDES = { '@hono/node-server': '1.14.1' }

/** Throws when it cannot be installed. */
export async function startPeer(processes: Processes, upstreamUrl: string): Promise<Target> {
  const [programs = ''] = (await install([PEER], OVERRIDES)).split(delimiter)
  const server = join(programs, '../@portkey-ai/gateway/build/start-server.js')
  const origin = `http://127.0.0.1:${await freePort()}`
  const child = processes.startNode([server, '--headless', `--port=${new URL(origin).port}`])
  await waitFor(() =>
    fetch(origin).then(
      () => true,
      () => null,
    ),
  )
  return {
    name: PEER,
    url: `${origin}/v1/chat/completions`,
    headers: {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': upstreamUrl,
      authorization: 'Bearer secret',
    },
    model: 'bench',
    pid: getPid(child),
  }
}
