// Tollgate as a benchmark runs it: on its own data dir, with caps, reservations, pricing and the durable ledger enabled.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { expectOk, raiseLimits, type TestClient } from '../../gateway/testing/gateway.ts'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import type { Target } from './chat-request.ts'
import { sharedNow } from './clock.ts'
import { findLine, getPid, type Processes } from './processes.ts'

export interface Gateway {
  pid: number
  baseUrl: string
}

/** How the headless program is started: the built one, or the sources where nothing has been built. */
export type Program = readonly string[]
export const BUILT: Program = ['out/main/cli.js']
export const SOURCES: Program = [...SOURCE_FLAGS, 'src/cli/cli.ts']

const Ready = z.object({ baseUrl: z.string() })
const AdminKey = z.object({ adminKey: z.string() })

/** `readyMs`: from the start of the process until it listened. */
export async function startGateway(
  processes: Processes,
  program: Program,
  dataDir: string,
  more: readonly string[] = [],
): Promise<Gateway & { readyMs: number }> {
  const startedAt = sharedNow()
  const flags = ['serve', '--port', '0', '--data-dir', dataDir, '--credentials', 'memory', ...more]
  const child = processes.startNode([...program, ...flags])
  const line = await findLine(child.stdout)
  const readyMs = sharedNow() - startedAt
  return { pid: getPid(child), readyMs, ...Ready.parse(JSON.parse(line)) }
}

/** Creates an admin key of a data dir that no process uses, and the data dir where there is none. */
export async function createAdminKey(
  processes: Processes,
  program: Program,
  dataDir: string,
): Promise<string> {
  // The first start creates the key itself.
  const command = existsSync(join(dataDir, 'tollgate.db')) ? 'admin-key' : 'serve'
  const flags = command === 'serve' ? ['--port', '0', '--credentials', 'memory'] : []
  const child = processes.startNode([...program, command, '--data-dir', dataDir, ...flags])
  const { adminKey } = AdminKey.parse(JSON.parse(await findLine(child.stdout)))
  await processes.stop(getPid(child))
  return adminKey
}

/** Gives a gateway a provider with a priced model, and a key with a cap. */
export async function createTarget(
  client: TestClient,
  { name, pid, upstreamUrl }: { name: string; pid: number; upstreamUrl: string },
): Promise<Target> {
  // The plan's rate limit is not part of the overhead: the benchmark sends more than any plan allows.
  await raiseLimits(client)
  const account = { plan: 'bundle', monthlyLimitUsd: 1_000_000 }
  await expectOk(client.call('PATCH', '/v1/account', { body: account }))
  await client.addProvider('bench', upstreamUrl, [])
  // So cheap that thousands of equal requests a second look like no loop to the runaway guard, which stays on.
  const pricing = { inputPerMillion: 0.001, outputPerMillion: 0.002 }
  const model = { provider: 'bench', pricing, maxOutputTokens: 1_000 }
  await expectOk(client.call('PUT', '/v1/models/bench', { body: model }))
  return {
    name,
    url: `${client.baseUrl}/v1/chat/completions`,
    headers: { authorization: `Bearer ${await createKey(client)}` },
    model: 'bench',
    pid,
  }
}

/** The secret of a new key with a cap. */
export async function createKey(client: TestClient): Promise<string> {
  const key = { name: 'bench', scope: 'completions-only', spendLimitUsd: 100_000 }
  return (await client.createKey(key)).secret
}

/** Where the process on a data dir listens, as it notes itself; null before that. */
export function readBaseUrl(dataDir: string): string | null {
  const path = join(dataDir, 'lock.json')
  if (!existsSync(path)) return null
  const noted = z.object({ baseUrl: z.string() }).safeParse(JSON.parse(readFileSync(path, 'utf8')))
  return noted.data?.baseUrl ?? null
}
