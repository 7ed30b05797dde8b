// A gateway in its thread, which a test can run scripts in.
import { Session } from 'node:inspector'
import { onTestFinished } from 'vitest'
import { createLog, type GatewayOptions } from '../../../gateway/compose/host-api.ts'
import { createDataDir } from '../../../gateway/testing/data-dir.ts'
import { createMemoryCredentials } from '../../provider-secrets.ts'
import { startGatewayThread } from '../gateway-thread.ts'

/** Starts one that is closed at the end of the test. */
export async function startTestThread(
  options: Partial<GatewayOptions> = {},
  times?: Parameters<typeof startGatewayThread>[2],
) {
  const dataDir = options.dataDir ?? createDataDir()
  const lines: { message: string; err: unknown }[] = []
  const crashes: { kind: string; summary: string; details: string }[] = []
  const log = createLog({ write: (_level, message, { err }) => lines.push({ message, err }) })
  const gateway = await startGatewayThread(
    {
      dataDir,
      version: '0.0.0-test',
      credentials: createMemoryCredentials(),
      log,
      interfaceDir: null,
      createAdminKey: false,
      ...options,
    },
    (crash) => crashes.push(crash),
    times,
  )
  onTestFinished(() => gateway.close(0))
  const call = (path: string, method = 'GET', body?: unknown) =>
    gateway.fetchAsOwner(
      new Request(`app://tollgate${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  const createKey = (name: string) => call('/v1/keys', 'POST', { name, scope: 'full' })
  return { gateway, dataDir, lines, crashes, call, createKey }
}

/** Runs a script in the gateway's thread, as a debugger does. */
export function runInGateway(expression: string): Promise<void> {
  const session = new Session()
  session.connect()
  return new Promise((resolve) => {
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      if (!workerInfo.title.endsWith(' gateway')) return
      const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } })
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
    })
    session.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }) => {
      if (JSON.parse(message).id !== 1) return
      // It would attach to the next gateway, too.
      session.disconnect()
      resolve()
    })
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  })
}
