// The load generator's process. It answers each job that it receives with the messages of one measurement.
import { errorMessage } from '../../shared/values/text.ts'
import type { Job, LoadMessage } from './jobs.ts'
import { measurePaced } from './load-paced.ts'
import { measureRequests } from './load-requests.ts'

function send(message: LoadMessage): void {
  process.send?.(message)
}

const marks = { begin: () => send({ type: 'begin' }), end: () => send({ type: 'end' }) }

process.on('message', (job: Job) => {
  const measuring = job.kind === 'requests' ? measureRequests(job, marks) : measurePaced(job, marks)
  measuring.then(
    (measured) => send({ type: 'measured', measured }),
    (error: unknown) => send({ type: 'failed', reason: errorMessage(error) }),
  )
})
