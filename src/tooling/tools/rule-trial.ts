// A real agent under rules that serve another model from the start of its session, or of its sub-agents: 20 turns each, at vendors
// that reject what the other model does not have.
import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject, listObjects } from '../../gateway/formats/json/json.ts'
import type { RecordedRequest } from '../../gateway/upstream/testing/test-upstream.ts'
import type { ApiFormat } from '../../shared/api/providers.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { reply } from './scripted-model.ts'
import { askWithVendor, type ScriptedVendor, SUB_TASK, startSubAgent } from './scripted-vendor.ts'
import type { Tool } from './tools.ts'
import type { TrialContext } from './trials.ts'

const TURNS = 20

interface RuleCase {
  format: ApiFormat
  big: string
  small: string
  /** Whether the rule is for sub-agents only. */
  isOfSubAgents: boolean
}

/** The cases of an agent; none for most. */
export const RULE_CASES: Readonly<Record<string, readonly (RuleCase & { name: string })[]>> = {
  'claude-code': [true, false].map((isOfSubAgents) => ({
    name: isOfSubAgents ? 'at the start of a sub-agent' : 'at the start of a session',
    format: 'anthropic-messages',
    big: 'claude-opus-5-5',
    small: 'claude-haiku-4-5',
    isOfSubAgents,
  })),
  codex: [
    {
      name: 'at the start of a session',
      format: 'openai-responses',
      big: 'gpt-6.1',
      small: 'gpt-4.1',
      isOfSubAgents: false,
    },
  ],
}

export async function testRule(
  { tollgate }: TrialContext,
  asked: { tool: Tool; programs: string },
  { format, big, small, isOfSubAgents }: RuleCase,
): Promise<string> {
  const served: RecordedRequest[] = []
  const vendor: ScriptedVendor = {
    provider: format === 'anthropic-messages' ? 'anthropic' : 'openai',
    format,
    models: {
      [big]: { inputPerMillion: 10, outputPerMillion: 20 },
      [small]: { inputPerMillion: 1, outputPerMillion: 2 },
    },
    maxOutputTokens: 64_000,
    answer(exchange, situation) {
      const { request } = exchange
      const body = request.json()
      const problem = body.model === small ? findProblem(body) : null
      if (problem !== null) {
        exchange.reply(400, createError(problem))
        return null
      }
      const start = isOfSubAgents ? startSubAgent(situation) : null
      const isSub = JSON.stringify(body.messages ?? '').includes(SUB_TASK) && !start
      const isLong = isOfSubAgents ? isSub : situation.tools.length > 0
      if (isLong) served.push(request)
      const isDone = isLong ? situation.results >= TURNS : situation.results > 0
      return { reply: (isDone ? null : start) ?? reply({ ...situation, isDone }) }
    },
  }
  const caller = isOfSubAgents ? 'subagent' : 'main'
  const rule = { when: [{ kind: 'caller', is: caller }], do: [{ kind: 'model', model: small }], mode: 'on' }
  const { json } = await tollgate.call('POST', '/v1/rules', { body: rule })
  try {
    const question = { ...asked, model: big, prompt: 'Do it in twenty steps.' }
    const { records } = await askWithVendor(tollgate, question, vendor)
    checkRecords(records, { big, small, isOfSubAgents })
    checkPrefix(served)
    return `${served.length} turns by ${small} instead of ${big}`
  } finally {
    await tollgate.call('DELETE', `/v1/rules/${json.id}`)
  }
}

/** Finds a member that the vendor rejects of requests to the smaller model. */
function findProblem(body: JsonObject): string | null {
  const { thinking, output_config: config, reasoning, max_tokens: limit } = body
  if (isObject(thinking) && thinking.type === 'adaptive') return 'adaptive thinking is not supported'
  if (isObject(config) && config.effort !== undefined) return 'effort is not supported'
  if (isObject(reasoning) && reasoning.effort !== undefined) return 'reasoning.effort is not supported'
  return typeof limit === 'number' && limit > 64_000 ? 'max_tokens is too large' : null
}

function createError(message: string) {
  return { type: 'error', error: { type: 'invalid_request_error', message } }
}

function checkRecords(
  records: readonly RequestRecord[],
  { big, small, isOfSubAgents }: Pick<RuleCase, 'big' | 'small' | 'isOfSubAgents'>,
): void {
  const failed = records.find(({ status }) => status !== 'succeeded')
  if (failed) throw new Error(`a request has failed: ${JSON.stringify(failed.error)}`)
  const ruled = records.filter(({ rules }) => rules?.some(({ changes }) => changes.length > 0))
  if (ruled.length < TURNS) throw new Error(`the rule changed only ${ruled.length} requests.`)
  const wrong = ruled.find(({ model, requestedModel }) => model !== small || requestedModel !== big)
  if (wrong) throw new Error(`${wrong.model} served a request for ${wrong.requestedModel}.`)
  if (isOfSubAgents && !records.some(({ model }) => model === big)) throw new Error(`${big} served nothing.`)
}

/** Each request begins with the messages, the instructions and the tools of the one before, so that its cache is read. */
function checkPrefix(requests: readonly RecordedRequest[]): void {
  const bodies = requests.map((request) => request.json())
  for (const [at, body] of bodies.entries()) {
    const previous = bodies[at - 1]
    if (!previous || listTurns(body).length < listTurns(previous).length) continue
    const isSame =
      isDeepStrictEqual(previous.tools, body.tools) &&
      withoutMarks(listTurns(body).slice(0, listTurns(previous).length)) === withoutMarks(listTurns(previous))
    if (!isSame) throw new Error(`turn ${at + 1} does not begin as the one before.`)
  }
}

function listTurns(body: JsonObject): JsonObject[] {
  return listObjects(body.messages ?? body.input)
}

/** Clients move their marks for the cache to the last message, whose text they then write as a list. */
function withoutMarks(turns: readonly JsonObject[]): string {
  const plain = turns.map((turn) => ({
    ...turn,
    content: typeof turn.content === 'string' ? [{ type: 'text', text: turn.content }] : turn.content,
  }))
  return JSON.stringify(plain, (name, value) => (name === 'cache_control' ? undefined : value))
}
