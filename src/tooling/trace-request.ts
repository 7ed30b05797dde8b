// Lists the files that one streamed Messages request enters when a provider of OpenAI's chat format serves it:
// `npm run trace-request`. V8 counts the calls of each function, in the main thread and in the threads of the store; a file counts
// if one of its functions ran between the arrival of the request and the settlement of its row. An earlier request has
// warmed up what runs once.
import type { InspectorNotification } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { expectOk, startTestGateway } from '../gateway/testing/gateway.ts'
import { billing, startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[]
}

const SOURCE = fileURLToPath(new URL('../', import.meta.url))
const COUNTER = [
  { method: 'Profiler.enable', params: {} },
  { method: 'Profiler.startPreciseCoverage', params: { callCount: true, detailed: false } },
] as const
const TAKE = 'Profiler.takePreciseCoverage'

const session = new Session()
session.connect()

/** The threads of the store, by the session in which each takes commands. */
const workers: string[] = []
const replies = new Map<string, (coverage: Coverage) => void>()
let lastId = 0

session.on(
  'NodeWorker.attachedToWorker',
  ({ params }: InspectorNotification<{ sessionId: string }>) => void workers.push(params.sessionId),
)
session.on(
  'NodeWorker.receivedMessageFromWorker',
  ({ params }: InspectorNotification<{ sessionId: string; message: string }>) => {
    const { id, result } = JSON.parse(params.message)
    replies.get(`${params.sessionId} ${id}`)?.(result)
  },
)

function callWorker(sessionId: string, method: string, params: object = {}): Promise<Coverage> {
  lastId += 1
  const message = JSON.stringify({ id: lastId, method, params })
  const reply = new Promise<Coverage>((resolve) => replies.set(`${sessionId} ${lastId}`, resolve))
  return session.post('NodeWorker.sendMessageToWorker', { sessionId, message }).then(() => reply)
}

/** The functions that ran since the last call, in all threads. */
async function takeCoverage(): Promise<Coverage[]> {
  const own = session.post(TAKE) as Promise<Coverage>
  return Promise.all([own, ...workers.map((id) => callWorker(id, TAKE))])
}

const upstream = await startTestUpstream(billing(1_000, 500))
for (const { method, params } of COUNTER) await session.post(method, params)
await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
const tollgate = await startTestGateway({ hasStoreThreads: true })
for (const id of workers) for (const { method, params } of COUNTER) await callWorker(id, method, params)
await tollgate.addProvider('chat', upstream.url, ['m'])
const { secret } = await tollgate.createKey({ name: 'Trace', scope: 'completions-only', spendLimitUsd: 1 })

async function ask(): Promise<void> {
  const messages = [{ role: 'user', content: 'Hello' }]
  const body = { model: 'm', max_tokens: 1_000, stream: true, messages }
  await expectOk(tollgate.call('POST', '/v1/messages', { as: secret, body }))
}

await ask()
await ask()
await takeCoverage()
await ask()
const entered = new Map<string, string[]>()
for (const { result } of await takeCoverage())
  for (const { url, functions } of result) {
    const path = url.startsWith('file:') ? fileURLToPath(url) : ''
    const file = path.slice(SOURCE.length)
    if (!path.startsWith(SOURCE) || /(^|\/)(testing|tooling)\//.test(file)) continue
    // The function without a name is the module itself.
    const names = functions
      .filter(({ functionName: name, ranges }) => name !== '' && (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName }) => functionName)
    if (names.length > 0) entered.set(file, [...(entered.get(file) ?? []), ...names])
  }
await tollgate.close()
await upstream.close()
session.disconnect()

const files = [...entered].sort(([a], [b]) => a.localeCompare(b))
for (const [file, names] of files) console.log(`${file}: ${[...new Set(names)].join(', ')}`)
const functions = files.reduce((sum, [, names]) => sum + new Set(names).size, 0)
console.log(`\n${files.length} files, ${functions} functions`)
