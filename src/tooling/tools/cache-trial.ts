// A long session of a real agent on a scripted Claude that caches prompts by the vendor's published rules.
import {
  type CachedUsage,
  ScriptedPromptCache,
  weighUsage,
} from '../../gateway/testing/scripted-prompt-cache.ts'
import { startTestUpstream } from '../../gateway/upstream/testing/test-upstream.ts'
import { vendorFormats } from '../../gateway/upstream/testing/vendor-formats.ts'
import { ANSWER, COMMAND, createAnswer, type Reply, readSituation, reply, TOKENS } from './scripted-model.ts'
import { askTool, type Question } from './session.ts'
import type { Agent } from './tools.ts'
import { plainText, TASK, type TrialContext } from './trials.ts'

const TURNS = 20
/** The first turns write the cache. */
const WARM_UP = 2
const LEAST_CACHED = 0.9
const MOST_OVER_IDEAL = 1.1
const FORMAT = 'anthropic-messages'
const MODEL = 'claude-sonnet-5'
const PRICING = {
  inputPerMillion: 3,
  outputPerMillion: 15,
  cacheReadPerMillion: 0.3,
  cacheWritePerMillion: 3.75,
  cacheWriteHourPerMillion: 6,
}

/** Nearly all of the prompt is read from the cache from the third turn on, and it costs hardly more than the ideal. */
export async function testCache(
  { tollgate }: TrialContext,
  { agent, ...asked }: Pick<Question, 'tool' | 'programs'> & { agent: Agent },
): Promise<string> {
  const cache = new ScriptedPromptCache()
  const turns: { real: CachedUsage; ideal: CachedUsage }[] = []
  const vendor = await startTestUpstream((exchange) => {
    const body = exchange.request.json()
    const situation = readSituation(exchange.request)
    const real = cache.read(body, Date.now())
    // Requests for titles and the like are no part of the conversation.
    const isTurn = situation.tools.some(({ name }) => name === agent.shell)
    if (isTurn) turns.push({ real, ideal: cache.readIdeal(body) })
    const turn = situation.results + 1
    const varied = vary(reply({ ...situation, isDone: turn >= TURNS }), turn)
    const tokens = { ...TOKENS, input: real.input, cacheRead: real.read }
    const { write5m: cacheWrite5m, write1h: cacheWrite1h } = real
    const usage = vendorFormats[FORMAT].usage({ ...tokens, cacheWrite5m, cacheWrite1h })
    exchange.answer(FORMAT, createAnswer(FORMAT, varied, situation, usage))
  })
  try {
    await tollgate.addProvider('caching', `${vendor.url}/v1`, [], { apiFormat: FORMAT })
    const model = { provider: 'caching', pricing: PRICING, maxOutputTokens: 4096 }
    await tollgate.call('PUT', `/v1/models/${MODEL}`, { body: model })
    const { code, output } = await askTool(tollgate, { ...asked, model: MODEL, prompt: TASK })
    if (code !== 0 || !plainText(output).includes(ANSWER))
      throw new Error(`it ended with ${code}:\n${output.slice(-2000)}`)
    return judge(turns)
  } finally {
    await vendor.close()
  }
}

/** Another command in each turn: some agents stop when a call repeats itself. */
function vary(given: Reply, turn: number): Reply {
  if (given.call === null) return given
  const args = given.call.args.replaceAll(COMMAND, `${COMMAND} && echo ${turn}`)
  return { text: null, call: { ...given.call, args } }
}

function judge(turns: readonly { real: CachedUsage; ideal: CachedUsage }[]): string {
  if (turns.length < TURNS) throw new Error(`the session had ${turns.length} turns.`)
  const shares = turns
    .slice(WARM_UP)
    .map(({ real: { input, read, write5m, write1h } }) => read / (input + read + write5m + write1h))
  const least = Math.min(...shares)
  const sum = (read: (turn: (typeof turns)[number]) => CachedUsage) =>
    turns.reduce((total, turn) => total + weighUsage(read(turn)), 0)
  const ratio = sum(({ real }) => real) / sum(({ ideal }) => ideal)
  const seen = `${turns.length} turns, at least ${(least * 100).toFixed(1)}% cached, ${ratio.toFixed(3)} of the ideal cost`
  if (least < LEAST_CACHED || ratio > MOST_OVER_IDEAL) throw new Error(`${seen}: ${JSON.stringify(turns)}`)
  return seen
}
