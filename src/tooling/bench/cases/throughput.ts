// The rate, the delay and the processor time of plain requests and of streams, for each target in turn.
import { errorMessage } from '../../../shared/values/text.ts'
import type { Target } from '../jobs.ts'
import { mapTime, readProcessorTime, subtractTime } from '../processor-time.ts'
import type { CaseReport } from '../report.ts'
import type { Session } from '../session.ts'
import type { Targets } from '../targets.ts'
import type { Round, RoundsMeasurement, Workload, WorkloadMeasurement } from './rounds.ts'
import { reportThroughput } from './throughput-report.ts'

const CLIENTS = 32

export async function measureThroughput(session: Session, compared: Targets): Promise<CaseReport> {
  const { plain, streams } = session.sizes
  const workloads: readonly Workload[] = [
    { name: 'plain, 1 client', stream: false, clients: 1, requests: plain.alone },
    { name: 'plain, 32 clients', stream: false, clients: CLIENTS, requests: plain.together },
    { name: 'streams of 50 chunks, 1 client', stream: true, clients: 1, requests: streams.alone },
    {
      name: 'streams of 50 chunks, 32 clients',
      stream: true,
      clients: CLIENTS,
      requests: streams.together,
    },
  ]
  const { targets, remarks } = compared
  const measured: WorkloadMeasurement[] = []
  for (const workload of workloads) measured.push(await measure(session, workload, targets))
  return { ...reportThroughput(measured), remarks: [...remarks] }
}

/** Every target in turn, several times: what else the machine does affects them all alike. */
async function measure(
  session: Session,
  workload: Workload,
  targets: readonly Target[],
): Promise<WorkloadMeasurement> {
  const { rounds, warmUp } = session.sizes
  const measured = targets.map((target): RoundsMeasurement => ({ target, rounds: [], failure: null }))
  const each = async (visit: (one: RoundsMeasurement) => Promise<void>) => {
    for (const one of measured) {
      if (one.failure === null)
        await visit(one).catch((error: unknown) => {
          one.failure = errorMessage(error)
        })
    }
  }
  await each(async ({ target }) => {
    await sendLoad(session, { ...workload, clients: CLIENTS, requests: warmUp }, target)
  })
  for (let round = 0; round < rounds; round++)
    await each(async (one) => {
      one.rounds.push(await sendLoad(session, workload, one.target))
    })
  return { workload, targets: measured }
}

async function sendLoad(session: Session, workload: Workload, target: Target): Promise<Round> {
  const before = readProcessorTime(target.pid)
  const { stream, clients, requests } = workload
  const sent = await session.load.run({ kind: 'requests', target, stream, clients, requests })
  const spent = subtractTime(readProcessorTime(target.pid), before)
  return { ...sent, time: mapTime(spent, (us) => us / requests) }
}
