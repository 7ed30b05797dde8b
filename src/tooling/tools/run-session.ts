// Starts a real agent by `tollgate run`, in a Git repository, where it is set up already with another key and another model.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunReceipt } from '../../cli/run/receipt.ts'
import type { TestClient } from '../../gateway/testing/gateway.ts'
import { PROGRAM_FILE } from '../../gateway/testing/program.ts'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import type { KeyMetadata } from '../../shared/api/keys.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import type { Session } from '../../shared/api/sessions.ts'
import { quote } from './paste.ts'
import { runBounded } from './run-bounded.ts'
import { environment, type Question, setUp, TIMEOUT_MS } from './session.ts'
import type { RunCase } from './tools.ts'
import { getModel } from './tools-upstream.ts'

/** The name of the repository. */
export const PROJECT = 'trial-project'

export interface AgentRun extends Pick<Question, 'tool' | 'programs' | 'model'> {
  /** The agent's command. */
  words: readonly string[]
  /** Options of `tollgate run`. */
  options: readonly string[]
  own?: RunCase['own']
  /** Further variables of the agent. */
  env?: Readonly<Record<string, string>>
}

export interface RunOutcome {
  /** The exit code of `tollgate run`. */
  code: number
  output: string
  receipt: RunReceipt
  /** The run's key in the ledger. */
  key: KeyMetadata
  records: RequestRecord[]
  sessions: Session[]
  /** The files of the project. */
  files: string[]
}

/** Runs the agent to its end. Throws when it used the key of its configuration, or when there is no receipt. */
export async function runAgent(
  tollgate: TestClient & { dataDir: string },
  { tool, programs, model, words, options, own: replaced, env }: AgentRun,
): Promise<RunOutcome> {
  const own = await tollgate.createKey({ name: 'Its own', scope: 'completions-only' })
  const input = { baseUrl: `${tollgate.baseUrl}/v1`, secret: own.secret, model: getModel('gemini-generate') }
  return setUp(tool, input, async (_text, { home, project }) => {
    if (replaced) replaceFolder(join(home, replaced.folder), replaced.files)
    execFileSync('git', ['init', '--quiet'], { cwd: project })
    execFileSync('git', ['remote', 'add', 'origin', `git@example.org:ann/${PROJECT}.git`], { cwd: project })
    const flags = ['--receipt', 'receipt.json', '--model', model, ...options]
    const line = [process.execPath, ...SOURCE_FLAGS, PROGRAM_FILE, 'run', ...flags, '--', ...words]
    const { code, output } = await runBounded(line.map(quote).join(' '), {
      cwd: project,
      env: { ...environment(home, programs), ...env, TOLLGATE_DATA_DIR: tollgate.dataDir },
      timeoutMs: TIMEOUT_MS,
    })
    const files = readdirSync(project)
    if (code === null || !files.includes('receipt.json'))
      throw new Error(`it ended with ${code ?? 'a time-out'} and no receipt:\n${output.slice(-2000)}`)
    const receipt: RunReceipt = JSON.parse(readFileSync(join(project, 'receipt.json'), 'utf8'))
    const read = async (path: string) => (await tollgate.call('GET', path)).json
    if ((await read(`/v1/requests?key=${own.id}`)).data.length > 0)
      throw new Error('it also used the key of its configuration.')
    return {
      code,
      output,
      receipt,
      key: await read(`/v1/keys/${receipt.keyId}`),
      records: (await read(`/v1/requests?key=${receipt.keyId}`)).data,
      sessions: (await read(`/v1/sessions?key=${receipt.keyId}`)).data,
      files,
    }
  })
}

function replaceFolder(folder: string, files: Readonly<Record<string, string>>): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}
