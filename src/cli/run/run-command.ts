// `tollgate run`: a command with its own key, which is revoked when the command ends.

import { chooseDataDir } from '../../host/data-dir.ts'
import { EXIT } from '../../host/exit-codes.ts'
import { GatewayClient } from '../../host/gateway-client.ts'
import { ModelList, type ModelRecord } from '../../shared/api/models.ts'
import { parseAnswer } from '../../shared/api/parse-answer.ts'
import type { SpendLimit } from '../../shared/api/spend-limits.ts'
import { isPlan } from '../../shared/api/terms.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { askForPlan } from '../../tool-setup/plan-sign-in.ts'
import { reportGit } from '../git/git-report.ts'
import { type ChildEnd, endBySignal, findExitCode, RunSignals, runChild } from './child.ts'
import { childArguments, childEnvironment, programName, type RunTarget } from './environment.ts'
import { createReceiptFile, finishRun } from './finish.ts'
import { projectName } from './project-name.ts'
import { createRunFolder, type RunFolder } from './run-folder.ts'
import { refuseInRun } from './run-key.ts'

export interface RunOptions {
  dataDir?: string
  name?: string
  /** Null for none. */
  cap: number | null
  limit?: SpendLimit[]
  maxSubagents?: number
  strict?: boolean
  model?: string
  allowModels?: string[] | null
  expires: string
  tag?: string
  json?: boolean
  receipt?: string
  /** Whether the tool keeps the sign-in of its plan; undefined: as the user answers. */
  plan?: boolean
}

const MAX_NAME = 100

/** Runs the command and returns the exit code. Throws before the key is created, if the run cannot begin. */
export async function runWithKey(command: readonly string[], options: RunOptions): Promise<number> {
  refuseInRun()
  const [program = ''] = command
  const dataDir = chooseDataDir(options.dataDir)
  const client = new GatewayClient(dataDir)
  const name = options.name ?? [...programName(program)].slice(0, MAX_NAME).join('')
  const tag = options.tag === undefined ? projectName(process.cwd()) : options.tag || null
  const baseUrl = await findBaseUrl(client)
  const plan = await choosePlan(program, options.plan, client)
  if (options.receipt !== undefined) createReceiptFile(options.receipt)
  const startedAt = new Date().toISOString()
  const signals = new RunSignals()
  try {
    const key = await client.call('createKey', {
      body: {
        name,
        scope: 'completions-only',
        spendLimitUsd: options.cap,
        spendLimits: options.limit ?? [],
        maxSubagents: options.maxSubagents ?? null,
        strict: options.strict ?? false,
        tag,
        allowedModels: options.allowModels ?? null,
        expiresAt: options.expires,
      },
    })
    const place = { baseUrl, dataDir, secret: key.secret, keyId: key.id, model: options.model ?? null, plan }
    await recordGit(client, key.id)
    const startedMs = performance.now()
    const { code: exitCode, signal, problem } = await prepareAndRun(command, place, signals)
    const durationMs = Math.round(performance.now() - startedMs)
    await recordGit(client, key.id)
    const facts = { keyId: key.id, name, tag, command, startedAt, durationMs, exitCode, signal }
    await finishRun({ client, facts, problem, signals }, options)
    if (signal !== null) await endBySignal(signal)
    return exitCode
  } finally {
    signals.release()
  }
}

const PLANS: Readonly<Record<string, string>> = { claude: 'claude-plan', codex: 'chatgpt-plan' }

/**
 * Whether the run keeps the tool's own sign-in. Adds the provider of the plan when it is chosen; of all plans for a program that
 * may start any tool.
 */
async function choosePlan(
  program: string,
  wanted: boolean | undefined,
  client: GatewayClient,
): Promise<boolean> {
  const plan = PLANS[programName(program)]
  if (!(wanted ?? (await askForPlan(plan)))) return false
  const { data } = await client.call('listProviders')
  for (const { id, enabled } of data)
    if (!enabled && (plan === undefined ? isPlan(id) : id === plan))
      await client.call('putProvider', { params: { id }, body: { enabled: true } })
  return true
}

/** Where the run works, for `tollgate git-cost`. It goes on without it. */
async function recordGit(client: GatewayClient, keyId: string): Promise<void> {
  await reportGit(client, process.cwd(), { keyId }).catch(() => null)
}

/** The end of the command, or why it was not started. Never rejects, so that the key is revoked. */
async function prepareAndRun(
  [program = '', ...args]: readonly string[],
  place: Omit<RunTarget, 'models'>,
  signals: RunSignals,
): Promise<ChildEnd> {
  let folder: RunFolder | null = null
  try {
    signals.stopped.throwIfAborted()
    const target = { ...place, models: await listModels(place, signals.stopped) }
    signals.stopped.throwIfAborted()
    folder = createRunFolder(target, process.env)
    return await runChild(
      {
        command: program,
        args: folder.wraps(program) ? args : childArguments(program, args, target),
        env: { ...childEnvironment(process.env, target), ...folder.variables },
      },
      signals,
    )
  } catch (error) {
    if (signals.first === null) return { code: EXIT.failed, signal: null, problem: errorMessage(error) }
    const problem = `Stopped by ${signals.first}, before the command was started.`
    return { code: findExitCode(signals.first), signal: signals.first, problem }
  } finally {
    folder?.remove()
  }
}

async function findBaseUrl(client: GatewayClient): Promise<string> {
  const { baseUrl } = await client.call('getGateway')
  if (new URL(baseUrl).port === '0') {
    throw new Error('Tollgate runs, but not on a port. Open its window, which says why.')
  }
  return `${baseUrl}/v1`
}

/** Over the address that the command will use, with its key. */
async function listModels(
  { baseUrl, secret }: Pick<RunTarget, 'baseUrl' | 'secret'>,
  signal: AbortSignal,
): Promise<ModelRecord[]> {
  const headers = { authorization: `Bearer ${secret}` }
  const response = await fetch(`${baseUrl}/models`, { headers, signal }).catch((error: unknown) => {
    throw new Error(`${baseUrl} cannot be reached, although Tollgate runs.`, { cause: error })
  })
  if (!response.ok)
    throw new Error(`${baseUrl} answered with HTTP ${response.status}. Is it Tollgate's address?`)
  return parseAnswer(ModelList, await response.text()).data
}
