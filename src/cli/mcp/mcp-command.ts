// `tollgate mcp`: a server of the Model Context Protocol on stdin and stdout.
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { chooseDataDir } from '../../host/data-dir.ts'
import { describeParseError, EXIT } from '../../host/exit-codes.ts'
import { appVersion } from '../../host/files.ts'
import { note } from '../terminal/print.ts'
import { askForMore } from './approval-tool.ts'
import { explainCache } from './cache-tool.ts'
import { type Caller, createCaller } from './caller.ts'
import { estimateCost, findModels, getModelPrice } from './model-tools.ts'
import { getRemaining } from './remaining-tool.ts'
import { getSpend } from './spend-tool.ts'

const INSTRUCTIONS =
  'Tollgate meters the calls of language models on this computer. Before a long task, ask what is left and estimate the cost; prefer a cheaper model if the task allows it.'

/** Serves until stdin ends, and returns the exit code. Throws FlagError. */
export async function serveMcp(args: readonly string[]): Promise<number> {
  const caller = createCaller({
    apiKey: process.env.TOLLGATE_API_KEY?.trim() ?? '',
    baseUrl: process.env.TOLLGATE_BASE_URL?.trim() ?? '',
    dataDir: chooseDataDir(readDataDir(args)),
  })
  const handle = serveStdio(() => createServer(caller), {
    onerror: (error) => note(`tollgate: ${error.message}\n`),
  })
  await once(process.stdin, 'close')
  await handle.close()
  return EXIT.done
}

function createServer(caller: Caller): McpServer {
  const info = { name: 'tollgate', title: 'Tollgate', version: appVersion() }
  const server = new McpServer(info, { instructions: INSTRUCTIONS, capabilities: { tools: {} } })
  const tools = [getSpend, getRemaining, askForMore, getModelPrice, findModels, estimateCost, explainCache]
  for (const add of tools) add(server, caller)
  return server
}

function readDataDir(args: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...args], options: { 'data-dir': { type: 'string' } } }).values['data-dir']
  } catch (error) {
    throw describeParseError(error)
  }
}
