import { homedir } from 'node:os'
import type { Host } from '../host/start.ts'
import { createGatewayCalls } from './gateway-calls.ts'
import { createGitHook, createMcpServer, findOwnCommand } from './own-command.ts'
import { ToolSetups } from './tool-setups.ts'

/** For the desktop app, which calls its gateway as the owner of the machine. */
export function createToolSetups({ dataDir, gateway, listening }: Host): ToolSetups {
  const headers = { 'content-type': 'application/json' }
  return new ToolSetups({
    dataDir,
    mcpServer: createMcpServer(findOwnCommand(), dataDir),
    gitHook: createGitHook(findOwnCommand(), dataDir),
    surroundings: { home: homedir(), platform: process.platform, env: process.env },
    gateway: createGatewayCalls(
      () => listening()?.baseUrl ?? null,
      (path, init) => gateway.fetchAsOwner(new Request(`app://tollgate${path}`, { headers, ...init })),
    ),
  })
}
