// Imports that are killed, as by a crash or the end of the power, again and again.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeLargeHome } from '../features/history/gateway/testing/large-home.ts'
import { openLiveEvents } from '../gateway/testing/live-events.ts'
import { createRandom } from '../gateway/testing/random.ts'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import { type Program, startProgram } from './testing/program.ts'

const FILES = 12
const ROUNDS = 20
const MAX_KILLS = 3

/** Transcripts, forks that repeat whole ones, sub-agents that repeat calls of their main agent, and rollouts of Codex. */
function writeHome(home: string): void {
  const now = Date.now()
  writeLargeHome(home, now, FILES)
  const folder = join(home, '.claude/projects/shop-1')
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8')
    const session = name.replace('.jsonl', '')
    writeFileSync(join(folder, `fork-${name}`), text.replaceAll(`"${session}"`, `"fork-${session}"`))
    const agents = join(folder, session, 'subagents')
    mkdirSync(agents, { recursive: true })
    const copies = text.replaceAll(
      '"requestId":"req_',
      '"isSidechain":true,"agentId":"a1","requestId":"req_a',
    )
    writeFileSync(join(agents, 'agent-a1.jsonl'), copies)
  }
  const rollouts = join(home, '.codex/sessions/2026/11/20')
  mkdirSync(rollouts, { recursive: true })
  for (let file = 0; file < 300; file += 1) {
    const usage = { input_tokens: 100 + file, cached_input_tokens: 40, output_tokens: 7 }
    const lines = [
      { type: 'session_meta', payload: { id: `thread-${file}`, cwd: '/work/shop' } },
      { type: 'turn_context', payload: { model: 'gpt-5' } },
      ...Array.from({ length: 5 }, (_, call) => ({
        type: 'token_usage_record',
        payload: { response_id: `resp_${file}_${call}`, thread_id: `thread-${file}`, usage },
      })),
    ].map((line) => JSON.stringify({ timestamp: new Date(now - file * 60_000).toISOString(), ...line }))
    writeFileSync(join(rollouts, `rollout-${file}.jsonl`), `${lines.join('\n')}\n`)
  }
}

/** Imports until an event has this text, and returns how long it took. */
async function importUntil(tollgate: Program, part: string): Promise<number> {
  const events = await openLiveEvents(tollgate)
  const startedAt = performance.now()
  expect((await tollgate.call('POST', '/v1/history', { body: {} })).status).toBe(200)
  await events.readUntil((text) => text.includes(part))
  events.close()
  return performance.now() - startedAt
}

const importAll = (tollgate: Program) => importUntil(tollgate, '"type":"history","running":null')
/** To the first announcement of calls, which are few: the announcements that follow are a quarter of a second apart. */
const importSome = (tollgate: Program) => importUntil(tollgate, '"type":"history","running":{')

async function readTotals(tollgate: Program) {
  const { imported } = (await tollgate.call('GET', '/v1/history')).json
  const query = 'groupBy=day&splitBy=model&timeZone=UTC&history=true'
  const { data } = (await tollgate.call('GET', `/v1/usage?${query}`)).json
  return { imported, data }
}

test('an import that is killed at any moment, and imported again, has the same totals as one that was not', async () => {
  const home = tempDirForTest()
  writeHome(home)
  const tollgate = await startProgram({ HOME: home, USERPROFILE: home })
  onTestFinished(() => tollgate.close())
  const ms = await importAll(tollgate)
  const whole = await readTotals(tollgate)
  expect(whole.imported).toMatchObject([
    { tool: 'claude-code', calls: expect.any(Number), repeated: expect.any(Number) },
    { tool: 'codex', calls: 1_500 },
  ])
  expect(whole.imported[0].calls * whole.imported[0].repeated).toBeGreaterThan(0)
  const random = createRandom(1)
  /** How much of the import the kills left behind: none, all, or a part. */
  let parts = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await tollgate.call('DELETE', '/v1/history')
    for (let kills = random.between(1, MAX_KILLS); kills > 0; kills -= 1) {
      await importSome(tollgate)
      const delay = random.next() * ms
      // Every second kill follows the announcement, as another machine can be faster than the first import was.
      if (kills % 2 === 0) await new Promise((resolve) => setTimeout(resolve, delay))
      await tollgate.kill()
      await tollgate.start()
      const { imported } = await readTotals(tollgate)
      const calls = imported.reduce((sum: number, each: { calls: number }) => sum + each.calls, 0)
      if (calls > 0 && calls < whole.imported[0].calls + 1_500) parts += 1
    }
    await importAll(tollgate)
    expect({ round, ...(await readTotals(tollgate)) }).toEqual({ round, ...whole })
  }
  // Else all kills came too early or too late to show anything.
  expect(parts).toBeGreaterThan(0)
}, 300_000)
