// Owns the process that uses the keyring inside a test's session: it carries out the steps it is given and prints what
// came of each. `call` steps go to a whole gateway on the session's data dir, as its owner.
import type { Gateway } from '../../gateway/gateway.ts'
import { silentLog } from '../../gateway/platform/log.ts'
import { keychainCredentials } from '../keychain.ts'
import type { KeyringStep, StepResult } from './keyring.ts'

const steps: KeyringStep[] = JSON.parse(process.argv[2] ?? '[]')
const credentials = keychainCredentials()
let gateway: Gateway | null = null

async function call(method: string, path: string, body: object | undefined): Promise<StepResult> {
  // Most sessions only use the keychain; the gateway takes a while to load.
  const { createGateway } = await import('../../gateway/gateway.ts')
  gateway ??= await createGateway({
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

// All are begun at once: the credentials' own queue keeps their order. Only calls wait for what went before.
const results: Promise<StepResult>[] = []
for (const step of steps) {
  if (step.do === 'call') await Promise.all(results)
  results.push(carryOut(step).catch(failed))
}
const told = JSON.stringify(await Promise.all(results))
await (gateway as Gateway | null)?.close()
process.stdout.write(told)
