import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { clientName } from '../../gateway/store/client-name.ts'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import type { RunReceipt } from '../../host/run/receipt.ts'
import type { RequestRecord } from '../../shared/requests.ts'
import { runBounded } from './run-bounded.ts'
import { environment, type Question, setUp, TIMEOUT_MS } from './session.ts'
import type { Agent } from './tools.ts'
import { TASK, type TrialContext } from './trials.ts'
import { COST_USD, WRITTEN_FILE } from './upstream/scripted-model.ts'
import { modelOf } from './upstream/upstream.ts'

const CLI = resolve(import.meta.dirname, '../../host/cli.ts')

/**
 * `tollgate run` starts the agent where it is set up already with another key and another model: the run has its own of both,
 * and is charged for all that the agent does.
 */
export async function testRun(
  { tollgate, upstream }: TrialContext,
  { tool, agent, programs }: Pick<Question, 'tool' | 'programs'> & { agent: Agent },
): Promise<string> {
  const { id, secret } = await tollgate.createKey({ name: 'Its own', scope: 'completions-only' })
  const input = { baseUrl: `${tollgate.baseUrl}/v1`, secret, model: modelOf('gemini-generate') }
  const model = modelOf('openai-chat')
  const before = upstream.calls()
  return setUp(tool, input, async (_text, { home, project }) => {
    const ask = tool.ask?.(TASK, model) ?? []
    const words = [process.execPath, ...SOURCE_FLAGS, CLI, 'run', ...OPTIONS, '--model', model, '--', ...ask]
    const { code, output } = await runBounded(words.map(quote).join(' '), {
      cwd: project,
      env: { ...environment(home, programs), TOLLGATE_DATA_DIR: tollgate.dataDir },
      timeoutMs: TIMEOUT_MS,
    })
    if (code !== 0) throw new Error(`it ended with ${code ?? 'a time-out'}:\n${output.slice(-2000)}`)
    if (!readdirSync(project).includes(WRITTEN_FILE))
      throw new Error(`it wrote no file:\n${output.slice(-2000)}`)
    const receipt: RunReceipt = JSON.parse(readFileSync(join(project, 'receipt.json'), 'utf8'))
    const records = (await tollgate.call('GET', `/v1/requests?key=${receipt.keyId}`)).json.data
    const calls = upstream.calls() - before
    check(receipt, { records, calls, client: agent.client })
    if ((await tollgate.call('GET', `/v1/requests?key=${id}`)).json.data.length > 0)
      throw new Error('it also used the key of its configuration.')
    const { revokedAt } = (await tollgate.call('GET', `/v1/keys/${receipt.keyId}`)).json
    if (revokedAt === null) throw new Error('the key was not revoked.')
    return `${receipt.requests} requests of its own key and model, $${receipt.costUsd}`
  })
}

const OPTIONS = ['--cap', '1', '--name', 'trial', '--tag', 'trial project', '--receipt', 'receipt.json']

function check(
  receipt: RunReceipt,
  { records, calls, client }: { records: RequestRecord[]; calls: number; client: string },
): void {
  if (receipt.requests !== calls || records.length !== calls || calls < 2)
    throw new Error(`the receipt has ${receipt.requests} requests, the provider received ${calls}.`)
  if (Math.abs(receipt.costUsd - calls * COST_USD) > 1e-12) throw new Error(`it cost $${receipt.costUsd}.`)
  const odd = records.find(
    (record) =>
      record.status !== 'succeeded' ||
      record.tag !== 'trial project' ||
      record.requestedModel !== modelOf('openai-chat') ||
      clientName(record.client) !== client,
  )
  if (odd) throw new Error(`one request is not the run's: ${JSON.stringify(odd)}`)
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
