// The thread of the desktop app's gateway: it has an event loop of its own, while that of the main thread belongs to Chromium.
import { parentPort, workerData } from 'node:worker_threads'
import {
  createLog,
  type Gateway,
  type GatewayOptions,
  LOG_LEVELS,
  type Log,
} from '../../gateway/compose/host-api.ts'
import { startGateway } from '../../gateway/compose/start-gateway.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import { reuseCompiledCode, storeCompiledCode } from '../code-cache.ts'
import { waitForUncaughtError } from '../crash-handlers.ts'
import { credentialEnvironment } from '../provider-secrets.ts'
import { serializeError } from '../serialize-error.ts'
import { systemNetwork } from '../system-network.ts'
import { connectCalls, type GatewayCalls, type ShellCalls, type ThreadData } from './calls.ts'

/** How long the requests of a gateway that has failed may take to be settled. */
const SETTLE_MS = 5_000
/** How often an object that changed is published: each request changes its key and the account. */
const PUBLISH_MS = 100

type Shell = ReturnType<typeof connectCalls<ShellCalls, GatewayCalls>>

if (parentPort) serve(parentPort, workerData)

function serve(port: NonNullable<typeof parentPort>, data: ThreadData): void {
  reuseCompiledCode()
  let gateway: Gateway | null = null
  const running = () => {
    if (gateway === null) throw new Error('The gateway has not started.')
    return gateway
  }
  const hurry = new AbortController()
  const shell: Shell = connectCalls<ShellCalls, GatewayCalls>(port, {
    async start() {
      gateway = await startGateway(createOptions(data, shell))
      gateway.subscribe(publishLatest((event) => void shell.publish.asEvent(event)))
      storeCompiledCode()
      return gateway.adminKey
    },
    listen: (at) => running().listen(at),
    listenLocally: (path) => running().listenLocally(path),
    stopListening: () => running().stopListening(),
    async fetch({ url, ...init }) {
      const request = new Request(url, init.body === null ? init : { ...init, duplex: 'half' })
      const { status, headers, body } = await running().fetchAsOwner(request)
      return { status, headers: [...headers], body }
    },
    close: async (drainMs) => gateway?.close(drainMs, hurry.signal),
    hurry: () => hurry.abort(),
  })
  void waitForUncaughtError(createShellLog(data, shell)).then(async (error) => {
    await shell.crash(serializeError(error))
    await Promise.race([gateway?.close(0), new Promise((resolve) => setTimeout(resolve, SETTLE_MS))])
    // Ends this thread only.
    process.exit(1)
  })
}

function createOptions(data: ThreadData, shell: Shell): GatewayOptions {
  const { credentials: kind, logLevel, ...options } = data
  return {
    ...options,
    // A keychain is asked by the main thread: a call may be unanswered, and this thread could not end before.
    credentials: { kind, get: shell.getCredential, set: shell.setCredential, delete: shell.deleteCredential },
    environment: credentialEnvironment(),
    systemNetwork: { ...systemNetwork(process.env), findProxy: shell.findProxy },
    log: createShellLog(data, shell),
    onFatal: (error) => void shell.fail.asEvent(error),
  }
}

/** The main thread writes the log. */
function createShellLog({ logLevel }: ThreadData, shell: Shell): Log {
  return createLog({
    write: (level, message, { err, ...fields }) =>
      shell.log.asEvent(level, message, fields, err === undefined ? undefined : serializeError(err)),
    isLevelEnabled: (level) => LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(logLevel),
  })
}

/** Publishes an event immediately, but of an object that keeps changing only the latest state. */
function publishLatest(publish: (event: LiveEvent) => void): (event: LiveEvent) => void {
  const changed = new Map<string, LiveEvent>()
  let timer: NodeJS.Timeout | null = null
  const publishChanged = () => {
    timer = changed.size === 0 ? null : setTimeout(publishChanged, PUBLISH_MS)
    for (const event of changed.values()) publish(event)
    changed.clear()
  }
  return (event) => {
    if (event.type !== 'account' && event.type !== 'key') return publish(event)
    changed.set(event.type === 'key' ? event.key.id : 'account', event)
    if (timer === null) publishChanged()
  }
}
