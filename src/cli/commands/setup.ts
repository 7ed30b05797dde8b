// `tollgate setup`: writes the configuration of a tool, for users without the desktop app.

import { homedir } from 'node:os'
import { parseArgs } from 'node:util'
import { chooseDataDir } from '../../host/data-dir.ts'
import { describeParseError, EXIT, FlagError } from '../../host/exit-codes.ts'
import { GatewayClient, NotRunningError } from '../../host/gateway-client.ts'
import { takesMcpServer } from '../../shared/tools/tool-mcp.ts'
import type { DiffLine, ToolPreview, UndoOutcome } from '../../shared/tools/tool-setup.ts'
import { configurableTools, findTool, type ToolRow } from '../../shared/tools/tool-table.ts'
import { errorMessage, shellPath } from '../../shared/values/text.ts'
import { createGatewayCalls, type GatewayCalls } from '../../tool-setup/gateway-calls.ts'
import { createGitHook, createMcpServer, findOwnCommand } from '../../tool-setup/own-command.ts'
import { ToolSetupError, ToolSetups } from '../../tool-setup/tool-setups.ts'
import { askForPlan } from '../run/choose-plan.ts'
import { refuseInRun } from '../run/run-key.ts'
import { note, print } from '../terminal/print.ts'

const options = {
  model: { type: 'string' },
  name: { type: 'string' },
  cap: { type: 'string' },
  mcp: { type: 'boolean' },
  git: { type: 'boolean' },
  plan: { type: 'boolean' },
  undo: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'data-dir': { type: 'string' },
} as const

const KEY_VARIABLE = 'TOLLGATE_API_KEY'

/** Runs the command and returns the exit code. Throws FlagError. */
export async function setUpTool(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args)
  const row = findTool(positionals[0] ?? '')
  if (!row || positionals.length !== 1) {
    throw new FlagError(`setup takes one of ${configurableTools.map(({ id }) => id).join(', ')}.`)
  }
  const cap = readCap(values.cap)
  const dataDir = chooseDataDir(values['data-dir'])
  try {
    if (!values['dry-run']) refuseInRun()
    const gateway = await connect(dataDir, values.undo === true)
    const surroundings = { home: homedir(), platform: process.platform, env: process.env }
    const mcpServer = createMcpServer(findOwnCommand(), dataDir)
    const gitHook = createGitHook(findOwnCommand(), dataDir)
    const setups = new ToolSetups({ dataDir, surroundings, gateway, mcpServer, gitHook })
    if (values.undo) return reportUndo(await setups.undo(row.id), row.name)

    if (values.plan && row.plan === undefined)
      throw new FlagError(`${row.name} has no sign-in of a plan that can be passed on.`)
    const choice = {
      tool: row.id,
      model: values.model ?? null,
      mcp: values.mcp === true,
      git: values.git === true,
      plan: values.plan ?? (await askForPlan(row.plan)),
    }
    const preview = await setups.preview(choice)
    if (choice.mcp && preview.mcp === null) throw new ToolSetupError(explainNoMcp(row))
    if (choice.git && preview.git === null) throw new ToolSetupError(explainNoHook(row))
    print(describe(preview))
    if (preview.files.some(({ problem }) => problem !== null)) return EXIT.failed
    if (values['dry-run']) return EXIT.done
    const { reviewed } = preview
    const keyName = values.name ?? row.name
    const { test, next } = await setups.apply({ ...choice, reviewed, keyName, spendLimitUsd: cap })
    print(`${row.name} is set up. ${test.message}\n${next}\nTo undo it: tollgate setup ${row.id} --undo\n`)
    return test.passed ? EXIT.done : EXIT.failed
  } catch (error) {
    note(`tollgate: ${errorMessage(error)}\n`)
    return error instanceof NotRunningError ? EXIT.notRunning : EXIT.failed
  }
}

const NOT_INSTALLED = 'The command tollgate is not installed, so that no tool can start it.'

function explainNoMcp({ id, name }: ToolRow): string {
  return takesMcpServer(id) ? NOT_INSTALLED : `${name} has no documented file for MCP servers.`
}

function explainNoHook({ hasHooks, name }: ToolRow): string {
  return hasHooks ? NOT_INSTALLED : `${name} has no hooks that Tollgate can use.`
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw describeParseError(error)
  }
}

function readCap(text: string | undefined): number | null {
  if (text === undefined) return null
  const cap = Number(text)
  if (text.trim() === '' || !Number.isFinite(cap) || cap < 0) {
    throw new FlagError('--cap takes an amount in USD, such as 5.')
  }
  return cap
}

/**
 * The running gateway of the data dir: with the key in the environment, else as the owner of this computer. A setup can be
 * undone without a gateway. Throws NotRunningError.
 */
async function connect(dataDir: string, isUndo: boolean): Promise<GatewayCalls> {
  const key = process.env[KEY_VARIABLE] ?? ''
  const client = new GatewayClient(dataDir)
  const origin = await findOrigin(client).catch((error: unknown) => {
    if (isUndo && error instanceof NotRunningError) return null
    throw error
  })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const calls = createGatewayCalls(
    () => origin,
    (path, init) => {
      if (key === '') return client.fetch(path, init)
      if (origin === null) throw new NotRunningError()
      return fetch(`${origin}${path}`, { ...init, headers })
    },
  )
  if (key === '') return calls
  return {
    ...calls,
    async createKey(name, spendLimitUsd) {
      const own = await calls.identify(key)
      if (own === null) throw new ToolSetupError(`The key in ${KEY_VARIABLE} does not work.`)
      if (own.scope === 'admin') return calls.createKey(name, spendLimitUsd)
      if (own.scope === 'read-only') throw new ToolSetupError(`The key in ${KEY_VARIABLE} is read-only.`)
      return { id: own.id, secret: key, given: true }
    },
  }
}

/**
 * Null while the gateway is on no port. Only its socket is sure to be its own: while it is stopped, another user of the computer
 * can take its port, and would get the keys.
 */
async function findOrigin(client: GatewayClient): Promise<string | null> {
  const { baseUrl } = await client.call('getGateway')
  return new URL(baseUrl).port === '0' ? null : baseUrl
}

const MARKS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '-', gap: '' }

function describe({ files, model, keyName }: ToolPreview): string {
  const texts = files.map(({ path, exists, problem, readableByOthers, diff }) => {
    if (problem !== null) return `${path} is not changed. ${problem}\n`
    const lines = diff.map(({ kind, text }) => (kind === 'gap' ? '…' : `${MARKS[kind]}${text}`))
    const warning = readableByOthers
      ? `Other users of this computer can read this file, and so the key in it. To prevent that: chmod 600 ${shellPath(path)}\n`
      : ''
    return `${path}${exists ? '' : ' (new)'}\n${lines.join('\n')}\n${warning}`
  })
  const key = keyName === null ? 'The key replaces tg-….' : `It keeps its key “${keyName}”.`
  return `${texts.join('\n')}\nModel: ${model}. ${key}\n`
}

function reportUndo({ files, keyRevoked }: UndoOutcome, name: string): number {
  for (const { path, outcome, kept, problem } of files) {
    const rest = kept.length > 0 ? ` Left, because it was changed since: ${kept.join(', ')}.` : ''
    print(`${path}: ${problem ?? outcome}${rest}\n`)
  }
  const failed = files.some(({ outcome }) => outcome === 'failed')
  if (!failed) print(keyRevoked ? `The key of ${name} is revoked.\n` : 'No key was revoked.\n')
  return failed ? EXIT.failed : EXIT.done
}
