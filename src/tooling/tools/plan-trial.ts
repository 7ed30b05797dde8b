// Claude Code and Codex that are signed in to a plan, by `tollgate run --plan`, against a scripted vendor at its real address: the
// gateway reaches it through a proxy. The sign-in is made up.

import { startProgram } from '../../contract/testing/program.ts'
import { isObject } from '../../gateway/formats/json/json.ts'
import type { TestClient } from '../../gateway/testing/gateway.ts'
import { startPlanVendors, VENDOR_AUTHORITY } from '../../gateway/upstream/testing/plan-vendors.ts'
import type { TestExchange } from '../../gateway/upstream/testing/test-upstream.ts'
import type { ApiFormat } from '../../shared/api/providers.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { runAgent } from './run-session.ts'
import { ANSWER, createAnswer, readSituation, reply, USAGE } from './scripted-model.ts'
import type { Question } from './session.ts'
import type { PlanCase } from './tools.ts'
import { TASK } from './trials.ts'

/** The calls of the model in one task. */
const TURNS = 20

interface Vendor {
  host: string
  path: RegExp
  /** Further paths that the client may ask for. */
  others: RegExp
  windows: Readonly<Record<string, string>>
  format: ApiFormat
}

const vendors: Readonly<Record<string, Vendor>> = {
  'claude-plan': {
    host: 'api.anthropic.com:443',
    path: /^\/v1\/messages(\?|$)/,
    others: /^\/v1\/messages\/count_tokens(\?|$)/,
    windows: { 'anthropic-ratelimit-unified-5h-utilization': '0.25' },
    format: 'anthropic-messages',
  },
  'chatgpt-plan': {
    host: 'chatgpt.com:443',
    path: /^\/backend-api\/codex\/responses$/,
    others: /^$/,
    windows: { 'x-codex-primary-used-percent': '25', 'x-codex-primary-window-minutes': '300' },
    format: 'openai-responses',
  },
}

/** USD per million tokens by the vendors' price lists: input, cached input, output. */
const PRICES: Readonly<Record<string, readonly [number, number, number]>> = {
  'claude-opus-5': [5, 0.5, 25],
  'claude-haiku-4-5-20251001': [1, 0.1, 5],
  'claude-haiku-4-5': [1, 0.1, 5],
  'gpt-5': [1.25, 0.125, 10],
}

export async function testPlan(
  { tool, programs }: Pick<Question, 'tool' | 'programs'>,
  plan: PlanCase,
): Promise<string> {
  const vendor = vendors[plan.provider]
  if (!vendor) throw new Error(`there is no vendor of ${plan.provider}.`)
  const bodies: string[] = []
  const problems: string[] = []
  const scripted = await startPlanVendors((exchange) => {
    const { request } = exchange
    if (vendor.others.test(request.path)) return exchange.reply(200, { input_tokens: 1000 })
    problems.push(...findProblems(exchange, vendor, plan))
    bodies.push(request.body)
    const situation = readSituation(request)
    const isDone = situation.results + 1 >= TURNS
    for (const [name, value] of Object.entries(vendor.windows)) exchange.response.setHeader(name, value)
    exchange.answer(vendor.format, createAnswer(vendor.format, reply({ ...situation, isDone }), situation))
  })
  const tollgate = await startProgram({
    HTTPS_PROXY: scripted.proxyUrl,
    NODE_EXTRA_CA_CERTS: VENDOR_AUTHORITY,
  })
  try {
    await tollgate.call('PATCH', '/v1/settings', { body: { network: 'system', storeBodies: true } })
    const [first = '', ...rest] = tool.ask?.(TASK, plan.model) ?? []
    const outcome = await runAgent(tollgate, {
      tool,
      programs,
      model: plan.model,
      words: [first, ...plan.words, ...rest],
      options: ['--plan', '--cap', '0.000001'],
      own: plan.own,
      env: plan.env,
    })
    const { code, output, records } = outcome
    if (problems.length > 0) throw new Error([...new Set(problems)].join('\n'))
    if (code !== 0 || !output.includes(ANSWER))
      throw new Error(`it ended with ${code}:\n${output.slice(-2000)}`)
    const hosts = new Set(scripted.hosts)
    if (hosts.size !== 1 || !hosts.has(vendor.host)) throw new Error(`it called ${[...hosts].join(', ')}.`)
    if (records.length !== bodies.length || records.length < TURNS)
      throw new Error(`the log has ${records.length} requests, the vendor received ${bodies.length}.`)
    for (const record of records) checkRecord(record, plan)
    await checkBodies(tollgate, records, bodies)
    const { data } = (await tollgate.call('GET', '/v1/plan-windows')).json
    if (data[0]?.windows[0]?.utilization !== 0.25) throw new Error(`its windows are ${JSON.stringify(data)}`)
    const worthUsd = records.reduce((sum, record) => sum + (record.worthUsd ?? 0), 0)
    return `${records.length} requests by its own sign-in, $0, worth $${worthUsd.toFixed(6)}`
  } finally {
    await tollgate.close()
    await scripted.close()
  }
}

function findProblems({ request }: TestExchange, { path }: Vendor, { token, agent }: PlanCase): string[] {
  const { authorization, 'user-agent': client = '', ...others } = request.headers
  return [
    ...(path.test(request.path) ? [] : [`it asked for ${request.path}.`]),
    ...(authorization === `Bearer ${token}` ? [] : ['its sign-in did not arrive.']),
    ...(agent.test(client) ? [] : [`it came as ${client}.`]),
    ...Object.keys(others)
      .filter((name) => name.startsWith('x-tollgate') || name === 'x-api-key' || name === 'traceparent')
      .map((name) => `it came with ${name}.`),
  ]
}

function checkRecord(record: RequestRecord, { provider }: PlanCase): void {
  const [input, cached, output] = PRICES[record.requestedModel ?? ''] ?? []
  if (input === undefined || cached === undefined || output === undefined)
    throw new Error(`it used ${record.requestedModel}, whose price is unknown to the test.`)
  const nano =
    (USAGE.input - USAGE.cached) * input * 1000 + USAGE.cached * cached * 1000 + USAGE.output * output * 1000
  const isRight =
    record.provider === provider &&
    record.status === 'succeeded' &&
    record.costStatus === 'plan' &&
    record.costUsd === 0 &&
    Math.round((record.worthUsd ?? 0) * 1e9) === Math.round(nano)
  if (!isRight) throw new Error(`one request was not recorded as it was answered: ${JSON.stringify(record)}`)
}

/** The vendor received exactly the bytes that the gateway did. */
async function checkBodies(
  tollgate: TestClient,
  records: readonly RequestRecord[],
  received: readonly string[],
): Promise<void> {
  const stored = await Promise.all(
    records.map(async ({ id }) => (await tollgate.call('GET', `/v1/requests/${id}/bodies`)).json.request),
  )
  const sort = (texts: readonly string[]) => [...texts].sort().join('\n')
  if (sort(stored) !== sort(received)) throw new Error('the vendor received other bytes than the gateway.')
  if (!stored.every((text: string) => isObject(JSON.parse(text)))) throw new Error('a body is no object.')
}
