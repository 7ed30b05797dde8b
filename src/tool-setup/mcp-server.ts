import type { McpServer } from '../shared/tools/tool-mcp.ts'

/**
 * The MCP server for a key, started by this command. It gets the data dir, because tools start such servers without most of
 * their own variables.
 */
export function createMcpServer(
  command: readonly string[] | null,
  dataDir: string,
): ((secret: string) => McpServer) | null {
  const [program, ...args] = command ?? []
  if (program === undefined) return null
  return (secret) => ({
    command: program,
    args: [...args, 'mcp'],
    env: { TOLLGATE_API_KEY: secret, TOLLGATE_DATA_DIR: dataDir },
  })
}
