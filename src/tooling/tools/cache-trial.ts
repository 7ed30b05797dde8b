// A long session of a real agent on a scripted Claude that caches prompts by the vendor's published rules.
import {
  type CachedUsage,
  ScriptedPromptCache,
  weighUsage,
} from '../../gateway/testing/scripted-prompt-cache.ts'
import { vendorFormats } from '../../gateway/upstream/testing/vendor-formats.ts'
import { COMMAND, type Reply, reply, TOKENS } from './scripted-model.ts'
import { askWithVendor, type ScriptedVendor } from './scripted-vendor.ts'
import type { Question } from './session.ts'
import type { Agent } from './tools.ts'
import { TASK, type TrialContext } from './trials.ts'

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
  const vendor: ScriptedVendor = {
    provider: 'caching',
    format: FORMAT,
    models: { [MODEL]: PRICING },
    answer({ request }, situation) {
      const body = request.json()
      const real = cache.read(body, Date.now())
      // Requests for titles and the like are no part of the conversation.
      const isTurn = situation.tools.some(({ name }) => name === agent.shell)
      if (isTurn) turns.push({ real, ideal: cache.readIdeal(body) })
      const turn = situation.results + 1
      const { write5m: cacheWrite5m, write1h: cacheWrite1h } = real
      const tokens = { ...TOKENS, input: real.input, cacheRead: real.read, cacheWrite5m, cacheWrite1h }
      return {
        reply: vary(reply({ ...situation, isDone: turn >= TURNS }), turn),
        usage: vendorFormats[FORMAT].usage(tokens),
      }
    },
  }
  await askWithVendor(tollgate, { ...asked, model: MODEL, prompt: TASK }, vendor)
  return judge(turns)
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
