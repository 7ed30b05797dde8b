// Runs the given steps against the keyring of a test session and prints their results. `call` steps are sent to a gateway
// on the session's data dir, as its owner.
import type { Gateway } from '../../gateway/compose/host-api.ts'
import { silentLog } from '../../gateway/compose/host-api.ts'
import { keychainCredentials } from '../keychain.ts'
import type { KeyringStep, StepResult } from './keyring.ts'

const steps: KeyringStep[] = JSON.parse(process.argv[2] ?? '[]')
const credentials = keychainCredentials()
let gateway: Gateway | null = null

async function call(method: string, path: string, body: object | undefined): Promise<StepResult> {
  // Loaded on demand, as it takes a while and most sessions only use the keychain.
  const { startGateway } = await import('../../gateway/compose/start-gateway.ts')
  gateway ??= await startGateway({
    dataDir: process.env.TOLLGATE_DATA_DIR ?? '',
    version: '0.0.0-test',
    credentials,
    log: silentLog,
    interfaceDir: null,
    createAdminKey: false,
  })
  const init: RequestInit = { method }
  if (body)
    Object.assign(init, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const answer = await gateway.fetchAsOwner(new Request(`http://127.0.0.1${path}`, init))
  return { status: answer.status, json: JSON.parse(await answer.text()) }
}

async function carryOut(step: KeyringStep): Promise<StepResult> {
  switch (step.do) {
    case 'get':
      return { value: await credentials.get(step.account) }
    case 'set':
      await credentials.set(step.account, step.secret)
      return { value: null }
    case 'delete':
      await credentials.delete(step.account)
      return { value: null }
    case 'call':
      return call(step.method, step.path, step.body)
  }
}

const failed = (error: unknown): StepResult =>
  error instanceof Error ? { failed: error.message, kind: error.name } : { failed: String(error), kind: '' }

// All steps start together, as the credential store keeps their order. Only calls wait for the previous steps.
const results: Promise<StepResult>[] = []
for (const step of steps) {
  if (step.do === 'call') await Promise.all(results)
  results.push(carryOut(step).catch(failed))
}
const output = JSON.stringify(await Promise.all(results))
await (gateway as Gateway | null)?.close()
process.stdout.write(output)
