// What a status bar shows, in one answer.
import type { Feature } from '../../../gateway/http/calls.ts'
import type { ApiKeys } from '../../../gateway/keys/api-keys.ts'
import type { SessionLog } from '../../../gateway/observe/request-log/session-log.ts'
import type { Clock } from '../../../gateway/platform/clock.ts'
import type { Account } from '../../../shared/api/account.ts'
import type { PlanState } from '../../../shared/api/plans.ts'
import type { Session } from '../../../shared/api/sessions.ts'
import {
  headlineLimit,
  type Limit,
  leftUsd,
  limitsOfKey,
  nearestLimit,
} from '../../../shared/limits/limits.ts'
import { STATUS_VERSION, type Status } from '../api/status.ts'

const CURRENT_MS = 30 * 60_000

interface Deps {
  clock: Clock
  keys: ApiKeys
  account: { view(): Account }
  plans: { list(): PlanState[] }
  sessionLog: SessionLog
}

export function createStatus({ clock, keys, account, plans, sessionLog }: Deps): Feature {
  async function read(): Promise<Status> {
    const now = account.view()
    const { data } = await sessionLog.list({ limit: 1, sort: 'time', order: 'desc' })
    return {
      version: STATUS_VERSION,
      running: true,
      today: { spendUsd: now.todaySpendUsd },
      month: { spendUsd: now.monthSpendUsd },
      paused: now.pausedAt !== null,
      limit: toLimit(headlineLimit(now)),
      keys: keys
        .list()
        .filter(({ revokedAt, scope }) => revokedAt === null && scope !== 'admin')
        .map((key) => ({
          id: key.id,
          name: key.name,
          spendUsd: key.spendUsd,
          paused: key.pausedAt !== null,
          limit: toLimit(nearestLimit(limitsOfKey(key))),
        })),
      plans: plans.list().map(({ name, windows }) => ({ name, windows: windows.map(toWindow) })),
      session: toSession(data[0], clock.now()),
    }
  }
  return { handlers: { getStatus: read } }
}

function toLimit(limit: Limit | null): Status['limit'] {
  if (limit === null) return null
  const { limitUsd, kind, resetsAt, warnsOnly } = limit
  return { limitUsd, leftUsd: leftUsd(limit), per: kind.per, resetsAt, warnsOnly }
}

function toWindow({ name, label, utilization, resetsAt }: PlanState['windows'][number]) {
  return { name, label, usedPercent: utilization === null ? null : utilization * 100, resetsAt }
}

function toSession(session: Session | undefined, now: number): Status['session'] {
  if (!session || Date.parse(session.lastAt) < now - CURRENT_MS) return null
  const { id, title, clientName: client, costUsd, worthUsd, requests, lastAt } = session
  return { id, title, client, costUsd, worthUsd, requests, lastAt }
}
