// `npm run test:tools`: Connect's texts, tried with the real tools. Each tool is installed from the npm registry at a
// pinned version, set up in a home of its own by following the text to the letter, and asked one thing through a headless
// gateway; then the call must have been answered, recorded and charged. Not part of `npm test`, as it needs the network
// and minutes. Names of tools after it run only those. A tool that cannot be installed counts as skipped.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { startProgram } from '../../contract/testing/program.ts'
import { snippets } from '../../renderer/views/connect/snippets.ts'
import { root } from '../commands.ts'
import { NOTHING, type Tally, tallyLine } from '../tally.ts'
import { install } from './install.ts'
import { scriptOf, writeFiles } from './paste.ts'
import { runBounded } from './run-bounded.ts'
import { type Tool, tools } from './tools.ts'
import { ANSWER, startAnsweringUpstream } from './upstream.ts'

/** A name that many a text got wrong. */
const MODEL = '@cf/meta/llama-3.1-8b-instruct'
const COST_USD = 0.0014
const TIMEOUT_MS = 120_000

const wanted = process.argv.slice(2)
const unknown = wanted.filter((id) => !tools.some((tool) => tool.id === id))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. The tools are ${tools.map(({ id }) => id).join(', ')}.`)
  process.exit(2)
}

const upstream = await startAnsweringUpstream()
const tollgate = await startProgram()
await tollgate.addProvider('scripted', `${upstream.url}/v1`, [])
await tollgate.call('PUT', `/v1/models/${MODEL}`, {
  body: { provider: 'scripted', pricing: { inputPerMillion: 1, outputPerMillion: 2 }, maxOutputTokens: 4096 },
})

const tallies: Tally[] = []
for (const tool of tools) {
  if (wanted.length > 0 && !wanted.includes(tool.id)) continue
  tallies.push(await tryOut(tool))
}
await tollgate.close()
await upstream.close()
console.log(tallyLine(tallies))
process.exitCode = tallies.some(({ failed }) => failed > 0) ? 1 : 0

async function tryOut(tool: Tool): Promise<Tally> {
  const label = [tool.id, ...tool.packages].join(' ')
  let programs: string
  try {
    programs = await install(tool.packages)
  } catch (error) {
    console.log(`- ${label}: skipped, as it cannot be installed: ${String(error)}`)
    return { ...NOTHING, skipped: 1 }
  }
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-tool-'))
  try {
    console.log(`✓ ${label}: ${await ask(tool, programs, dir)}`)
    return { ...NOTHING, passed: 1 }
  } catch (error) {
    console.log(`✗ ${label}: ${error instanceof Error ? error.message : String(error)}`)
    return { ...NOTHING, failed: 1 }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** What the gateway recorded. Throws when the tool did not get its answer, or the record is not what it must be. */
async function ask(tool: Tool, programs: string, dir: string): Promise<string> {
  const place = { home: join(dir, 'home'), project: join(dir, 'project') }
  for (const path of Object.values(place)) mkdirSync(path)
  symlinkSync(join(root, 'node_modules'), join(place.project, 'node_modules'), 'dir')
  const { id, secret } = await tollgate.createKey({
    name: tool.id,
    scope: 'completions-only',
    spendLimitUsd: 5,
  })
  const text = snippets({ baseUrl: `${tollgate.baseUrl}/v1`, secret, model: MODEL }).find(
    (snippet) => snippet.id === tool.id,
  )
  if (!text) throw new Error('Connect has no text for it.')
  writeFiles(text, place)
  const { code, output } = await runBounded(scriptOf(text, tool.ask?.(MODEL) ?? null), {
    cwd: place.project,
    env: environment(place.home, programs),
    timeoutMs: TIMEOUT_MS,
  })
  if (code !== 0) throw new Error(`it ended with ${code ?? 'a time-out'}:\n${output.slice(-2000)}`)
  if (!output.includes(ANSWER)) throw new Error(`it did not show the answer:\n${output.slice(-2000)}`)
  const { data } = (await tollgate.call('GET', `/v1/requests?key=${id}`)).json
  const odd = data.find(
    (row: Record<string, unknown>) =>
      row.status !== 'succeeded' || row.costStatus !== 'exact' || row.costUsd !== COST_USD,
  )
  if (data.length === 0) throw new Error('no request was recorded.')
  if (odd) throw new Error(`one request was not recorded as it was answered: ${JSON.stringify(odd)}`)
  const { spendUsd } = (await tollgate.call('GET', `/v1/keys/${id}`)).json
  return `${data.length === 1 ? '1 request' : `${data.length} requests`}, $${spendUsd}, as ${data[0].client}`
}

/** The environment of nobody in particular. What is not for this machine is sent to a proxy that is not there. */
function environment(home: string, programs: string): Record<string, string> {
  const nowhere = 'http://127.0.0.1:9'
  return {
    PATH: [programs, dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: '127.0.0.1,localhost',
    NO_COLOR: '1',
    CI: '1',
  }
}
