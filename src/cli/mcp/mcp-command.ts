// `tollgate mcp`: a server of the Model Context Protocol on stdin and stdout.
import { once } from 'node:events'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Command } from 'commander'
import { askForMore, listQuestions } from '../../features/approvals/cli/approval-tool.ts'
import { comparePlans } from '../../features/plan-fit/cli/plans-tool.ts'
import { explainCache } from '../../features/prompt-doctor/cli/cache-tool.ts'
import { listRules } from '../../features/rules/cli/rules-tool.ts'
import { chooseDataDir } from '../../host/data-dir.ts'
import { EXIT } from '../../host/exit-codes.ts'
import { appVersion } from '../../host/files.ts'
import { addExamples, type DataDirOptions, dataDirOption } from '../commands/options.ts'
import { note } from '../terminal/print.ts'
import { type Caller, createCaller } from './caller.ts'
import { estimateCost, findModels, getModelPrice } from './model-tools.ts'
import { getRemaining } from './remaining-tool.ts'
import { getSpend } from './spend-tool.ts'

const INSTRUCTIONS =
  'Tollgate meters the calls of language models on this computer. Before a long task, ask what is left and estimate the cost; prefer a cheaper model if the task allows it.'

export function define(command: Command): void {
  command.addOption(dataDirOption()).action(async (options: DataDirOptions) => {
    process.exitCode = await serveMcp(options)
  })
  addExamples(
    command,
    ['claude mcp add tollgate --env TOLLGATE_API_KEY=tg-… -- tollgate mcp'],
    `A server of the Model Context Protocol. Its tools: get_spend, get_remaining, get_model_price, find_models and
estimate_cost. It calls the gateway with the key in TOLLGATE_API_KEY, for which the key with which the agent calls models is enough,
or without one as the owner of this machine. TOLLGATE_BASE_URL is the address of a gateway with another port.`,
  )
}

/** Serves until stdin ends, and returns the exit code. */
async function serveMcp({ dataDir }: DataDirOptions): Promise<number> {
  const caller = createCaller({
    apiKey: process.env.TOLLGATE_API_KEY?.trim() ?? '',
    baseUrl: process.env.TOLLGATE_BASE_URL?.trim() ?? '',
    dataDir: chooseDataDir(dataDir),
  })
  const handle = serveStdio(() => createServer(caller), {
    onerror: (error) => note(`tollgate: ${error.message}\n`),
  })
  await once(process.stdin, 'close')
  await handle.close()
  return EXIT.done
}

const tools = [
  ...[getSpend, getRemaining, askForMore, listQuestions, getModelPrice, findModels, estimateCost],
  ...[explainCache, comparePlans, listRules],
]

function createServer(caller: Caller): McpServer {
  const info = { name: 'tollgate', title: 'Tollgate', version: appVersion() }
  const server = new McpServer(info, { instructions: INSTRUCTIONS, capabilities: { tools: {} } })
  for (const add of tools) add(server, caller)
  return server
}
