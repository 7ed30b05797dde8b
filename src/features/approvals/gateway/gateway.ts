// Approvals in the API: the questions for the owner, the answers, and agents that ask ahead.

import type { Principal } from '../../../gateway/http/auth.ts'
import type { Feature } from '../../../gateway/http/calls.ts'
import { describeClient } from '../../../gateway/http/describe-client.ts'
import { invalidRequest } from '../../../gateway/platform/errors.ts'
import { ClientDisconnected } from '../../../gateway/request/in-flight.ts'
import { readAgent } from '../../../gateway/sessions/agent-place.ts'
import { type LiveSessions, readTag } from '../../../gateway/sessions/live-sessions.ts'
import { usdToNano } from '../../../shared/money/money.ts'
import type { LimitApproval } from '../api/approvals.ts'
import { Approvals, type ApprovalsDeps } from './approvals.ts'

interface FeatureDeps extends ApprovalsDeps {
  sessions: LiveSessions
  /** Aborted when the gateway begins to close. */
  stopping: AbortSignal
  /** The owner has allowed more under a limit, in USD. */
  onAllowed(approval: LimitApproval, usd: number, by: Principal): void
}

export function createApprovals(deps: FeatureDeps): Feature {
  const { sessions, clock, stopping, onAllowed } = deps
  const approvals = new Approvals(deps)
  return {
    hooks: [approvals],
    handlers: {
      listApprovals: () => ({ data: approvals.list() }),
      decideApproval: ({ id, body, principal }) => {
        const approval = approvals.decide(id, body)
        if (approval.kind === 'limit' && body.decision === 'allow' && body.usd !== undefined)
          onAllowed(approval, body.usd, principal)
        return approval
      },
      requestApproval: async ({ body, principal, context, headers }) => {
        if (principal.kind === 'owner') throw invalidRequest('The owner needs no approval: ask with a key.')
        const { key } = principal
        const client = describeClient(headers)
        const caller = { keyId: key.id, headers, body, client }
        const left = new AbortController()
        context.response.once('close', () => left.abort(new ClientDisconnected()))
        const remainingUsd = await approvals.askAhead({
          key,
          client,
          tag: key.tag ?? readTag(headers),
          model: null,
          reason: body.reason,
          exempt: null,
          sessionId: sessions.findNamed(caller, clock.now())?.id ?? null,
          agentId: readAgent(headers)?.id ?? null,
          neededNano: usdToNano(body.usd),
          signal: AbortSignal.any([left.signal, stopping]),
        })
        return { remainingUsd }
      },
    },
  }
}
