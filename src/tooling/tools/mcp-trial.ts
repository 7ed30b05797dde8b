// `tollgate setup --mcp` with a real tool: its own command finds the server and, where it checks that, can call it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM_FILE } from '../../gateway/testing/program.ts'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import { quote } from './paste.ts'
import { runBounded } from './run-bounded.ts'
import { plainText } from './scripted-vendor.ts'
import { environment, type Question, TIMEOUT_MS } from './session.ts'
import type { Tool } from './tools.ts'
import type { TrialContext } from './trials.ts'

export async function testMcp(
  { tollgate }: TrialContext,
  { tool, programs, mcp }: Pick<Question, 'tool' | 'programs'> & { mcp: NonNullable<Tool['mcp']> },
): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-mcp-'))
  try {
    const cwd = join(home, 'project')
    mkdirSync(cwd)
    const env = { ...environment(home, programs), TOLLGATE_DATA_DIR: tollgate.dataDir }
    const setup = [process.execPath, ...SOURCE_FLAGS, PROGRAM_FILE, 'setup', tool.id, '--mcp']
    const script = `${setup.map(quote).join(' ')} > setup.txt\n${mcp.words.map(quote).join(' ')}`
    const { code, output } = await runBounded(script, { cwd, env, timeoutMs: TIMEOUT_MS })
    if (code !== 0 || !mcp.shows.test(plainText(output)))
      throw new Error(`it ended with ${code ?? 'a time-out'}:\n${output.slice(-2000)}`)
    return 'has the MCP server after setup --mcp'
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
