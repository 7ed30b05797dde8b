// `tollgate run`: a command with a key of its own, which is revoked when the command ends.
import { writeFileSync } from 'node:fs'
import { errorMessage } from '../../shared/error-message.ts'
import { ModelList, type ModelRecord } from '../../shared/models.ts'
import { chooseDataDir } from '../data-dir.ts'
import { EXIT } from '../exit-codes.ts'
import { GatewayClient, NotRunningError } from '../gateway-client.ts'
import { note } from '../terminal/print.ts'
import { childArguments, programName } from './arguments.ts'
import { type ChildEnd, endBySignal, runChild } from './child.ts'
import { childEnvironment } from './environment.ts'
import { projectName } from './project-name.ts'
import { type RunFacts, readReceipt, waitUntilSettled } from './receipt.ts'
import { formatReceipt } from './receipt-text.ts'

export interface RunOptions {
  dataDir?: string
  name?: string
  /** Null for none. */
  cap: number | null
  model?: string
  allowModels?: string[] | null
  expires: string
  tag?: string
  json?: boolean
  receipt?: string
}

const MAX_NAME = 100

/** Runs the command and returns the exit code. Throws before the command is started, if it cannot be. */
export async function runWithKey(command: readonly string[], options: RunOptions): Promise<number> {
  const [program = '', ...args] = command
  const dataDir = chooseDataDir(options.dataDir)
  const client = new GatewayClient(dataDir)
  const name = options.name ?? [...programName(program)].slice(0, MAX_NAME).join('')
  const tag = options.tag === undefined ? projectName(process.cwd()) : options.tag || null
  const baseUrl = await findBaseUrl(client)
  const startedAt = new Date().toISOString()
  const key = await client.call('createKey', {
    body: {
      name,
      scope: 'completions-only',
      spendLimitUsd: options.cap,
      tag,
      allowedModels: options.allowModels ?? null,
      expiresAt: options.expires,
    },
  })
  const before = performance.now()
  let end: ChildEnd
  try {
    const models = await listModels(baseUrl, key.secret)
    const model = options.model ?? null
    const target = { baseUrl, secret: key.secret, keyId: key.id, dataDir, models, model }
    end = await runChild({
      command: program,
      args: childArguments(program, args, target),
      env: childEnvironment(process.env, target),
    })
  } catch (error) {
    await client.call('revokeKey', { params: { id: key.id } })
    throw error
  }
  if (end.problem !== null) {
    note(`tollgate: ${end.problem}\n`)
    await client.call('revokeKey', { params: { id: key.id } })
    return end.code
  }
  const durationMs = Math.round(performance.now() - before)
  const { code: exitCode, signal } = end
  await finish(
    client,
    { keyId: key.id, name, tag, command, startedAt, durationMs, exitCode, signal },
    options,
  )
  if (signal !== null) await endBySignal(signal)
  return exitCode
}

async function findBaseUrl(client: GatewayClient): Promise<string> {
  const { baseUrl } = await client.call('getGateway')
  if (new URL(baseUrl).port === '0') {
    throw new Error('Tollgate runs, but not on a port. Open its window, which says why.')
  }
  return `${baseUrl}/v1`
}

/** Over the address that the command will use, with its key. */
async function listModels(baseUrl: string, secret: string): Promise<ModelRecord[]> {
  const response = await fetch(`${baseUrl}/models`, { headers: { authorization: `Bearer ${secret}` } })
  if (!response.ok)
    throw new Error(`${baseUrl} answered with HTTP ${response.status}. Is it Tollgate's address?`)
  return ModelList.parse(await response.json()).data
}

/** Prints the receipt and revokes the key, whatever happens to either. Ctrl-C ends the waiting, a second one everything. */
async function finish(client: GatewayClient, facts: RunFacts, options: RunOptions): Promise<void> {
  const hurry = new AbortController()
  const onSignal = () => {
    if (hurry.signal.aborted) process.exit(EXIT.failed)
    hurry.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  try {
    await waitUntilSettled(client, facts.keyId, hurry.signal)
    const receipt = await readReceipt(client, facts)
    if (options.json) note(`${JSON.stringify(receipt)}\n`)
    else note(formatReceipt(receipt))
    if (options.receipt !== undefined) writeFileSync(options.receipt, `${JSON.stringify(receipt)}\n`)
  } catch (error) {
    note(`tollgate: There is no receipt. ${explain(error)}\n`)
  }
  try {
    await client.call('revokeKey', { params: { id: facts.keyId } })
  } catch (error) {
    note(
      `tollgate: The key “${facts.name}” (${facts.keyId}) could not be revoked. ${explain(error)} It ends by itself at ${options.expires}; revoke it before: tollgate keys revoke ${facts.keyId}\n`,
    )
  }
}

function explain(error: unknown): string {
  return error instanceof NotRunningError ? 'Tollgate was stopped meanwhile.' : errorMessage(error)
}
