// A vendor of the agent's own API format, which answers by a script, and a task that the agent does with its models.
import type { TestClient } from '../../gateway/testing/gateway.ts'
import { startTestUpstream, type TestExchange } from '../../gateway/upstream/testing/test-upstream.ts'
import type { ApiFormat } from '../../shared/api/providers.ts'
import { ANSWER, createAnswer, PRICING, type Reply, readSituation, type Situation } from './scripted-model.ts'
import { askTool, type Outcome, type Question } from './session.ts'

export interface ScriptedVendor {
  provider: string
  format: ApiFormat
  /** With the prices that differ from the usual ones. */
  models: Readonly<Record<string, { inputPerMillion?: number; outputPerMillion?: number }>>
  maxOutputTokens?: number
  /** Null after it has answered itself. `usage`: its own, instead of the usual one. */
  answer(exchange: TestExchange, situation: Situation): { reply: Reply; usage?: object } | null
}

/** Throws unless the agent shows the answer. */
export async function askWithVendor(
  tollgate: TestClient,
  question: Question,
  { provider, format, models, maxOutputTokens = 4096, answer }: ScriptedVendor,
): Promise<Outcome> {
  const vendor = await startTestUpstream((exchange) => {
    if (exchange.request.path.includes('count_tokens')) return exchange.reply(200, { input_tokens: 1000 })
    const situation = readSituation(exchange.request)
    const answered = answer(exchange, situation)
    if (answered) exchange.answer(format, createAnswer(format, answered.reply, situation, answered.usage))
  })
  try {
    await tollgate.addProvider(provider, vendor.url, [], { apiFormat: format })
    for (const [id, prices] of Object.entries(models)) {
      const body = { provider, pricing: { ...PRICING, ...prices }, maxOutputTokens }
      await tollgate.call('PUT', `/v1/models/${id}`, { body })
    }
    return checkAnswer(await askTool(tollgate, question))
  } finally {
    await vendor.close()
  }
}

export function checkAnswer(outcome: Outcome): Outcome {
  const { code, output } = outcome
  if (code !== 0) throw new Error(`it ended with ${code ?? 'a time-out'}:\n${tail(outcome)}`)
  if (!plainText(output).includes(ANSWER)) throw new Error(`it did not show the answer:\n${tail(outcome)}`)
  return outcome
}

/** The output without colors, the end of it. */
export function tail({ output }: Pick<Outcome, 'output'>): string {
  return plainText(output).slice(-2000)
}

export function plainText(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colors
  return output.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '')
}

export const SUBAGENT = 'general-purpose'
export const SUB_TASK = 'Write the file as a sub-agent.'

/** The start of a sub-agent with the tool for it; null where the agent has none, as a sub-agent. */
export function startSubAgent({ tools }: Situation): Reply | null {
  const starter = tools.find(({ name }) => /^(Task|Agent)$/.test(name))
  if (!starter) return null
  const args = { description: 'Write a file', prompt: SUB_TASK, subagent_type: SUBAGENT }
  return { text: null, call: { name: starter.name, args: JSON.stringify(args) } }
}
