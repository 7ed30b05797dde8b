// `tollgate setup`: writes the configuration of a tool, for users without the desktop app.

import { homedir } from 'node:os'
import type { Command } from 'commander'
import { chooseDataDir } from '../../host/data-dir.ts'
import { EXIT, FlagError } from '../../host/exit-codes.ts'
import { GatewayClient, NotRunningError } from '../../host/gateway-client.ts'
import { takesMcpServer } from '../../shared/tools/tool-mcp.ts'
import type { DiffLine, ToolPreview, UndoOutcome } from '../../shared/tools/tool-setup.ts'
import { configurableTools, findTool, type ToolRow } from '../../shared/tools/tool-table.ts'
import { shellPath } from '../../shared/values/text.ts'
import { createGatewayCalls, type GatewayCalls } from '../../tool-setup/gateway-calls.ts'
import { createGitHook, createMcpServer, findOwnCommand } from '../../tool-setup/own-command.ts'
import { ToolSetupError, ToolSetups } from '../../tool-setup/tool-setups.ts'
import { askForPlan } from '../run/choose-plan.ts'
import { refuseInRun } from '../run/run-key.ts'
import { print } from '../terminal/print.ts'
import { addExamples, type DataDirOptions, dataDirOption, parseCap } from './options.ts'

const KEY_VARIABLE = 'TOLLGATE_API_KEY'

interface Options extends DataDirOptions {
  dryRun?: boolean
  undo?: boolean
  model?: string
  name?: string
  cap?: number | null
  mcp?: boolean
  git?: boolean
  plan?: boolean
}

export function define(command: Command): void {
  command
    .addArgument(command.createArgument('<tool>').choices(configurableTools.map(({ id }) => id)))
    .option('--dry-run', 'only show the changes')
    .option('--undo', 'take the changes back, and revoke the key')
    .option('--model <id>', 'the model that the tool uses')
    .option('--name <name>', 'the name of its key')
    .option('--cap <usd>', 'the spend cap of its key', parseCap)
    .option('--mcp', 'also give it the server of tollgate mcp, so that the agent can ask about its costs')
    .option(
      '--git',
      'also give Claude Code the hook that records branches and commits, for tollgate git-cost',
    )
    .option('--plan', 'Claude Code and Codex keep the sign-in of their plan, which pays')
    .addOption(dataDirOption())
    .action(async (tool: string, chosen: Options) => {
      const row = findTool(tool)
      if (row) process.exitCode = await setUpTool(row, chosen)
    })
  addExamples(
    command,
    [
      'tollgate setup codex --dry-run',
      'tollgate setup claude-code --cap 20 --mcp',
      'tollgate setup codex --undo',
    ],
    `Writes the configuration of the tool so that it calls the running gateway, and shows what it changes. It creates a key for
the tool, or writes the key in TOLLGATE_API_KEY if that is no admin key. For one run without a change of files, use
tollgate run.`,
  )
}

/** Returns the exit code. */
async function setUpTool(row: ToolRow, options: Options): Promise<number> {
  const dataDir = chooseDataDir(options.dataDir)
  const isUndo = options.undo === true
  if (!options.dryRun) refuseInRun()
  const gateway = await connectToGateway(dataDir, isUndo)
  const surroundings = { home: homedir(), platform: process.platform, env: process.env }
  const mcpServer = createMcpServer(findOwnCommand(), dataDir)
  const gitHook = createGitHook(findOwnCommand(), dataDir)
  const setups = new ToolSetups({ dataDir, surroundings, gateway, mcpServer, gitHook })
  if (isUndo) return reportUndo(await setups.undo(row.id), row.name)

  if (options.plan && row.plan === undefined)
    throw new FlagError(`${row.name} has no sign-in of a plan that can be passed on.`)
  const choice = {
    tool: row.id,
    model: options.model ?? null,
    mcp: options.mcp === true,
    git: options.git === true,
    plan: options.plan ?? (await askForPlan(row.plan)),
  }
  const preview = await setups.preview(choice)
  if (choice.mcp && preview.mcp === null) throw new ToolSetupError(explainNoMcp(row))
  if (choice.git && preview.git === null) throw new ToolSetupError(explainNoHook(row))
  print(describe(preview))
  if (preview.files.some(({ problem }) => problem !== null)) return EXIT.failed
  if (options.dryRun) return EXIT.done
  const { test, next } = await setups.apply({
    ...choice,
    reviewed: preview.reviewed,
    keyName: options.name ?? row.name,
    spendLimitUsd: options.cap ?? null,
  })
  print(`${row.name} is set up. ${test.message}\n${next}\nTo undo it: tollgate setup ${row.id} --undo\n`)
  return test.passed ? EXIT.done : EXIT.failed
}

const NOT_INSTALLED = 'The command tollgate is not installed, so that no tool can start it.'

function explainNoMcp({ id, name }: ToolRow): string {
  return takesMcpServer(id) ? NOT_INSTALLED : `${name} has no documented file for MCP servers.`
}

function explainNoHook({ hasHooks, name }: ToolRow): string {
  return hasHooks ? NOT_INSTALLED : `${name} has no hooks that Tollgate can use.`
}

/**
 * The running gateway of the data dir: with the key in the environment, else as the owner of this computer. A setup can be
 * undone without a gateway. Throws NotRunningError.
 */
async function connectToGateway(dataDir: string, isUndo: boolean): Promise<GatewayCalls> {
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
      const callingKey = await calls.identify(key)
      if (callingKey === null) throw new ToolSetupError(`The key in ${KEY_VARIABLE} does not work.`)
      if (callingKey.scope === 'admin') return calls.createKey(name, spendLimitUsd)
      if (callingKey.scope === 'read-only')
        throw new ToolSetupError(`The key in ${KEY_VARIABLE} is read-only.`)
      return { id: callingKey.id, secret: key, given: true }
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
