// The end of a run: its receipt, and the end of its key.
import { writeFileSync } from 'node:fs'
import { EXIT } from '../../host/exit-codes.ts'
import { type GatewayClient, NotRunningError } from '../../host/gateway-client.ts'
import { errorMessage, printable } from '../../shared/values/text.ts'
import { formatJson, note } from '../terminal/print.ts'
import type { RunSignals } from './child.ts'
import { programName } from './environment.ts'
import {
  formatReceipt,
  type RunFacts,
  type RunFailure,
  type RunReceipt,
  type RunSums,
  readReceipt,
  waitUntilSettled,
} from './receipt.ts'

interface EndedRun {
  client: GatewayClient
  facts: RunFacts
  /** Why the command was not started; null if it was. */
  problem: string | null
  signals: RunSignals
}

interface FinishOptions {
  expires: string
  json?: boolean
  receipt?: string
}

/** Before the run, so that a path that cannot be written is no surprise after it, and no older receipt remains. */
export function createReceiptFile(path: string): void {
  try {
    writeFileSync(path, '')
  } catch (error) {
    throw new Error(`The receipt cannot be written: ${errorMessage(error)}`, { cause: error })
  }
}

/** Prints the receipt and revokes the key, whatever happens to either. Ctrl-C ends the waiting, a second one everything. */
export async function finishRun(
  { client, facts, problem, signals }: EndedRun,
  options: FinishOptions,
): Promise<void> {
  const hurry = new AbortController()
  signals.listen(() => {
    if (hurry.signal.aborted) process.exit(EXIT.failed)
    hurry.abort()
  })
  const outcome = problem === null ? await settle(client, facts, hurry.signal) : { ...facts, problem }
  const revoked = await revoke(client, facts, options.expires)
  report({ ...outcome, revoked }, options)
}

async function settle(
  client: GatewayClient,
  facts: RunFacts,
  hurry: AbortSignal,
): Promise<RunSums | Omit<RunFailure, 'revoked'>> {
  try {
    await waitUntilSettled(client, facts.keyId, hurry)
    return await readReceipt(client, facts)
  } catch (error) {
    return { ...facts, problem: `There is no receipt. ${explain(error)}` }
  }
}

async function revoke(client: GatewayClient, { keyId, name }: RunFacts, expires: string): Promise<boolean> {
  try {
    await client.call('revokeKey', { params: { id: keyId } })
    return true
  } catch (error) {
    note(
      `tollgate: The key “${name}” (${keyId}) could not be revoked. ${explain(error)} It ends by itself at ${expires}; revoke it before: tollgate keys revoke ${keyId}\n`,
    )
    return false
  }
}

function report(outcome: RunReceipt | RunFailure, { json, receipt: path }: FinishOptions): void {
  if ('problem' in outcome) note(`tollgate: ${outcome.problem}\n`)
  else if (!json) note(`${formatReceipt(outcome)}${outcome.requests === 0 ? warnOfNothing(outcome) : ''}`)
  const line = formatJson(outcome)
  try {
    if (path !== undefined) writeFileSync(path, line)
  } catch (error) {
    note(`tollgate: The receipt cannot be written: ${errorMessage(error)}\n`)
  }
  if (json) note(line)
}

/** Why a tool that Tollgate can start may have gone past it; of others it is not known. */
const WAYS_PAST: Readonly<Record<string, string>> = {
  codex: 'its own arguments or a profile may choose another provider',
  gemini: 'it may use the sign-in of another account, which /auth shows',
}

/** A run without requests may have spent money that no cap has seen. */
function warnOfNothing({ command: [program = ''] }: RunReceipt): string {
  const name = programName(program)
  const why = WAYS_PAST[name] ?? 'if it calls models, it used its own account'
  return `\nNothing went through Tollgate: ${printable(name)} made no request to it, or ${why}.\nNo cap holds for that. tollgate setup shows the tools that can be set up.\n`
}

function explain(error: unknown): string {
  return error instanceof NotRunningError ? 'Tollgate was stopped meanwhile.' : errorMessage(error)
}
