// The cost of HAProxy and nginx in front of one gateway and of two, with the configurations of resources/deploy. The rounds
// share a run, so that ratios depend little on the machine. Its tables are in docs/scaling.md.
import { mkdirSync } from 'node:fs'
import { freePort } from '../../../gateway/testing/listen.ts'
import { type ProxyProgram, proxies } from '../../deploy/proxies.ts'
import { ensurePackages, PROXY_PACKAGES } from '../../system-packages.ts'
import type { PacedFigures, RequestsMeasurement, Target } from '../jobs.ts'
import { getPid } from '../processes.ts'
import { findKeyFor, waitUntilListening } from '../proxied-key.ts'
import { type CaseReport, count, milliseconds, signed, type Table, times } from '../report.ts'
import type { RunningGateway, Session } from '../session.ts'
import { CHUNK_INTERVAL_MS } from '../sizes.ts'
import { median } from '../statistics.ts'

const CLIENTS = 32
const DIRECT = 'direct'
const GATEWAYS = ['one gateway', 'two gateways'] as const

/** A way to some gateways. */
interface Way {
  name: string
  gateways: (typeof GATEWAYS)[number]
  through: string
  /** One for each gateway: clients take them in turn. */
  targets: readonly [Target, ...Target[]]
}

interface Workload {
  name: string
  stream: boolean
  clients: number
  requests: number
}

export async function measureProxies(session: Session): Promise<CaseReport> {
  if (!(await ensurePackages(PROXY_PACKAGES))) throw new Error('The proxies cannot be installed.')
  const ways = await startWays(session)
  const { alone, plain, streams } = session.sizes.proxied
  const first = ways.filter(({ gateways }) => gateways === GATEWAYS[0])
  const workloads: readonly (readonly [Workload, readonly Way[]])[] = [
    [{ name: 'Plain requests, 1 client', stream: false, clients: 1, requests: alone }, first],
    [{ name: `Plain requests, ${CLIENTS} clients`, stream: false, clients: CLIENTS, requests: plain }, ways],
    [
      { name: `Streams of 50 chunks, ${CLIENTS} clients`, stream: true, clients: CLIENTS, requests: streams },
      ways,
    ],
  ]
  const tables: Table[] = []
  for (const [workload, compared] of workloads) tables.push(await measureRates(session, workload, compared))
  tables.push(await measurePaced(session, first))
  return { goals: [], tables }
}

async function startWays(session: Session): Promise<readonly Way[]> {
  const instances = proxies.flatMap((proxy) => GATEWAYS.map((gateways) => ({ proxy, gateways })))
  const ports: number[] = []
  for (const _ of instances) ports.push(await freePort())
  const flags = ports.flatMap((port) => ['--allow-host', `127.0.0.1:${port}`])
  const [one, two] = [await session.startHeadless({ flags }), await session.startHeadless({ flags })]
  const direct: Way[] = [
    { name: `${GATEWAYS[0]}, ${DIRECT}`, gateways: GATEWAYS[0], through: DIRECT, targets: [one.target] },
    {
      name: `${GATEWAYS[1]}, ${DIRECT}`,
      gateways: GATEWAYS[1],
      through: DIRECT,
      targets: [one.target, two.target],
    },
  ]
  const proxied: Way[] = []
  for (const [index, { proxy, gateways }] of instances.entries()) {
    const behind = gateways === GATEWAYS[0] ? ([one] as const) : ([one, two] as const)
    const port = ports[index] ?? 0
    proxied.push({
      name: `${gateways}, ${proxy.name}`,
      gateways,
      through: proxy.name,
      targets: await startProxy(session, { proxy, port, behind }),
    })
  }
  const all = [...direct, ...proxied]
  return GATEWAYS.flatMap((gateways) => all.filter((way) => way.gateways === gateways))
}

/** The targets of the proxy: for each gateway a key that the proxy sends to it. */
async function startProxy(
  session: Session,
  asked: { proxy: ProxyProgram; port: number; behind: readonly [RunningGateway, ...RunningGateway[]] },
): Promise<readonly [Target, ...Target[]]> {
  const { proxy, port, behind } = asked
  const folder = session.newDataDir()
  mkdirSync(folder)
  const gateways = behind.map(({ gateway }) => Number(new URL(gateway.baseUrl).port))
  const [program, ...args] = proxy.prepare(folder, { proxy: port, gateways })
  const child = session.processes.start(program, args)
  await waitUntilListening(port)
  const origin = `https://127.0.0.1:${port}`
  const createTarget = async ({ admin, target }: RunningGateway): Promise<Target> => ({
    ...target,
    name: proxy.name,
    url: `${origin}/v1/chat/completions`,
    headers: { authorization: `Bearer ${await findKeyFor(admin, origin)}` },
    pid: getPid(child),
    hasTestCertificate: true,
  })
  const [first, ...others] = behind
  return [await createTarget(first), ...(await Promise.all(others.map(createTarget)))]
}

async function measureRates(session: Session, workload: Workload, ways: readonly Way[]): Promise<Table> {
  const { rounds, warmUp } = session.sizes.proxied
  const send = (
    { targets: [target, ...others] }: Way,
    { stream, clients, requests }: Omit<Workload, 'name'>,
  ) => session.load.run({ kind: 'requests', target, others, stream, clients, requests })
  const measured = new Map<Way, RequestsMeasurement[]>(ways.map((way) => [way, []]))
  for (const way of ways) await send(way, { ...workload, clients: CLIENTS, requests: warmUp })
  for (let round = 0; round < rounds; round++)
    for (const [way, results] of measured) results.push(await send(way, workload))
  const rows = ways.map((way) => {
    const own = measured.get(way) ?? []
    const direct = measured.get(findDirect(way, ways)) ?? []
    const compare = (by: (one: RequestsMeasurement, other: RequestsMeasurement) => number) =>
      median(own.flatMap((one, index) => (direct[index] ? [by(one, direct[index])] : [])))
    const middle = (pick: (one: RequestsMeasurement) => number) => median(own.map(pick))
    return [
      way.name,
      count(middle(({ rate }) => rate)),
      times(compare((one, other) => one.rate / other.rate)),
      milliseconds(middle(({ total }) => total.p50)),
      milliseconds(middle(({ total }) => total.p99)),
      signed(compare((one, other) => one.total.p50 - other.total.p50)),
    ]
  })
  const columns = ['requests/s', 'relative to direct', 'p50', 'p99', 'over direct, p50']
  return { title: workload.name, columns: ['', ...columns], rows }
}

async function measurePaced(session: Session, ways: readonly Way[]): Promise<Table> {
  const { paced } = session.sizes.proxied
  const measured = new Map<Way, PacedFigures>()
  for (const way of ways) {
    const [target] = way.targets
    const job = { kind: 'paced', target, intervalMs: CHUNK_INTERVAL_MS, ...paced } as const
    measured.set(way, await session.load.run(job))
  }
  const rows = [...measured].map(([way, own]) => {
    const direct = measured.get(findDirect(way, ways)) ?? own
    return [
      way.name,
      ...[own.p50, own.p99, own.p999].map(milliseconds),
      signed(own.p99 - direct.p99),
      `${count(own.late)} of ${count(own.chunks)}`,
    ]
  })
  const title = `${count(paced.streams)} streams with a chunk every ${CHUNK_INTERVAL_MS} ms: delay of a chunk`
  const columns = ['p50', 'p99', 'p99.9', 'over direct, p99', 'over 50 ms']
  return { title, columns: ['', ...columns], rows }
}

function findDirect({ gateways }: Way, ways: readonly Way[]): Way {
  const way = ways.find((one) => one.gateways === gateways && one.through === DIRECT)
  if (!way) throw new Error('There is no direct way.')
  return way
}
