// The cost of HAProxy and nginx in front of one gateway and of two, with the configurations of resources/deploy. The rounds
// share a run, so that ratios depend little on the machine. Its tables are in docs/scaling.md.
import { mkdirSync } from 'node:fs'
import { freePort } from '../../../gateway/testing/listen.ts'
import { type ProxyProgram, proxies } from '../../deploy/proxies.ts'
import { ensurePackages, PROXY_PACKAGES } from '../../system-packages.ts'
import type { Target } from '../chat-request.ts'
import { getPid } from '../processes.ts'
import { findKeyFor, waitUntilListening } from '../proxied-key.ts'
import { type CaseReport, count, milliseconds, signed, type Table, times } from '../report.ts'
import { CLIENTS, type Load, type RequestsMeasurement, sendRequests } from '../requests.ts'
import { compareRounds, measureInTurn } from '../rounds.ts'
import type { RunningGateway, Session } from '../session.ts'
import { median } from '../statistics.ts'
import { type ChunkDelays, receiveStreams } from '../streams.ts'

const GATEWAYS = ['one gateway', 'two gateways'] as const
const DIRECT = 'direct'

/** A way to one gateway or to two. */
interface Way {
  name: string
  /** The name of the way without a proxy. */
  direct: string
  target: Target
  /** The other gateway: clients take them in turn. */
  others: readonly Target[]
}

export async function measureProxies(session: Session): Promise<CaseReport> {
  if (!(await ensurePackages(PROXY_PACKAGES))) throw new Error('The proxies cannot be installed.')
  const ways = await startWays(session)
  const toOne = ways.filter(({ others }) => others.length === 0)
  const { alone, plain, streams } = session.sizes.proxied
  const loads: readonly (readonly [title: string, Load, readonly Way[]])[] = [
    ['Plain requests, 1 client', { stream: false, clients: 1, requests: alone }, toOne],
    [`Plain requests, ${CLIENTS} clients`, { stream: false, clients: CLIENTS, requests: plain }, ways],
    [`Streams of 50 chunks, ${CLIENTS} clients`, { stream: true, clients: CLIENTS, requests: streams }, ways],
  ]
  const tables: Table[] = []
  for (const [title, load, compared] of loads) tables.push(await measureRates(session, title, load, compared))
  tables.push(await measureStreams(session, toOne))
  return { goals: [], tables }
}

async function startWays(session: Session): Promise<readonly Way[]> {
  const instances = GATEWAYS.flatMap((gateways) => proxies.map((proxy) => ({ gateways, proxy })))
  const ports: number[] = []
  for (const _ of instances) ports.push(await freePort())
  const flags = ports.flatMap((port) => ['--allow-host', `127.0.0.1:${port}`])
  const both = [await session.startHeadless({ flags }), await session.startHeadless({ flags })]
  const behind = (gateways: string) => (gateways === GATEWAYS[0] ? both.slice(0, 1) : both)
  const ways: Way[] = []
  const addWay = (gateways: string, through: string, [target, ...others]: readonly Target[]) => {
    if (target)
      ways.push({ name: `${gateways}, ${through}`, direct: `${gateways}, ${DIRECT}`, target, others })
  }
  for (const gateways of GATEWAYS)
    addWay(
      gateways,
      DIRECT,
      behind(gateways).map(({ target }) => target),
    )
  for (const [index, { gateways, proxy }] of instances.entries())
    addWay(gateways, proxy.name, await startProxy(session, proxy, ports[index] ?? 0, behind(gateways)))
  return ways.toSorted((a, b) => a.others.length - b.others.length)
}

/** The targets of the proxy: for each gateway a key that the proxy sends to it. */
async function startProxy(
  session: Session,
  proxy: ProxyProgram,
  port: number,
  behind: readonly RunningGateway[],
): Promise<readonly Target[]> {
  const folder = session.newDataDir()
  mkdirSync(folder)
  const gateways = behind.map(({ target }) => Number(new URL(target.url).port))
  const [program, ...args] = proxy.prepare(folder, { proxy: port, gateways })
  const child = session.processes.start(program, args)
  await waitUntilListening(port)
  const origin = `https://127.0.0.1:${port}`
  return await Promise.all(
    behind.map(async ({ admin, target }) => ({
      ...target,
      url: `${origin}/v1/chat/completions`,
      headers: { authorization: `Bearer ${await findKeyFor(admin, origin)}` },
      pid: getPid(child),
      hasTestCertificate: true,
    })),
  )
}

async function measureRates(
  session: Session,
  title: string,
  load: Load,
  ways: readonly Way[],
): Promise<Table> {
  const { rounds, warmUp } = session.sizes.proxied
  const measured = await measureInTurn(ways, rounds, ({ target, others }, isWarmUp) =>
    sendRequests(target, { ...load, others, ...(isWarmUp && { clients: CLIENTS, requests: warmUp }) }),
  )
  const rows = ways.map(({ name, direct }) => {
    const result = measured.get(name)
    if (!result || result.failure !== null) throw new Error(result?.failure ?? 'It was not measured.')
    const compare = (by: (one: RequestsMeasurement, other: RequestsMeasurement) => number) =>
      compareRounds(result, measured.get(direct), by)?.median ?? Number.NaN
    const middle = (pick: (one: RequestsMeasurement) => number) => median(result.rounds.map(pick))
    return [
      name,
      count(middle(({ rate }) => rate)),
      times(compare((one, other) => one.rate / other.rate)),
      milliseconds(middle(({ total }) => total.p50)),
      milliseconds(middle(({ total }) => total.p99)),
      signed(compare((one, other) => one.total.p50 - other.total.p50)),
    ]
  })
  return { title, columns: ['', 'requests/s', 'relative to direct', 'p50', 'p99', 'over direct, p50'], rows }
}

async function measureStreams(session: Session, ways: readonly Way[]): Promise<Table> {
  const { paced } = session.sizes.proxied
  const measured = new Map<string, ChunkDelays>()
  for (const { name, target } of ways) measured.set(name, await receiveStreams(target, paced))
  const rows = ways.flatMap(({ name, direct }) => {
    const [delays, least] = [measured.get(name), measured.get(direct)]
    if (!delays || !least) return []
    const { p50, p99, p999, late, chunks } = delays
    const added = signed(p99 - least.p99)
    return [[name, ...[p50, p99, p999].map(milliseconds), added, `${count(late)} of ${count(chunks)}`]]
  })
  const title = `${count(paced.streams)} streams with a chunk every 50 ms: delay of a chunk`
  return { title, columns: ['', 'p50', 'p99', 'p99.9', 'over direct, p99', 'over 50 ms'], rows }
}
