// Every feature that has a folder of its own in the gateway. Without its line, a feature is gone.

import { GATEWAY, GUARD, keySubject } from '../../features/activity/gateway/activity.ts'
import { createApprovals } from '../../features/approvals/gateway/gateway.ts'
import { createBatches, viewLine } from '../../features/batches/gateway/gateway.ts'
import { createCredentialUse } from '../../features/credential-use/gateway/credential-use.ts'
import { createGuard } from '../../features/guard/gateway/runaway-guard.ts'
import { createHistory } from '../../features/history/gateway/history.ts'
import { createPlans } from '../../features/plans/gateway/overflow.ts'
import { PlanWindows } from '../../features/plans/gateway/plan-windows.ts'
import { createPromptDoctor, viewPrompt } from '../../features/prompt-doctor/gateway/prompt-log.ts'
import { createReconcile } from '../../features/reconcile/gateway/reconcile.ts'
import { createResponseCache } from '../../features/response-cache/gateway/response-cache.ts'
import { createRetirements } from '../../features/retirements/gateway/retirements.ts'
import type { StoredEffect } from '../../features/rules/gateway/rule-rows.ts'
import { createRules, viewEffect } from '../../features/rules/gateway/rules.ts'
import type { SecretInPrompt } from '../../features/secrets/api/secrets.ts'
import { createSecrets } from '../../features/secrets/gateway/secrets.ts'
import { createStatus } from '../../features/status/gateway/status.ts'
import { SubAgents } from '../../features/sub-agents/gateway/sub-agents.ts'
import { createTelemetry } from '../../features/telemetry/gateway/prometheus.ts'
import { createWebhooks } from '../../features/webhooks/gateway/webhooks.ts'
import { type Feature, loadOnDemand } from '../http/calls.ts'
import type { FieldViews } from '../observe/request-log/records.ts'
import { toActor, toLimitChange } from '../operations/activity-records.ts'
import type { Store } from '../store/store.ts'
import type { GatewayOptions } from './gateway-api.ts'
import { type CoreServices, createCoreServices, type OuterParts } from './services.ts'

/** The fields that features add to the API's record of a request. */
const fieldViews: FieldViews = {
  batch: { view: viewLine },
  prompt: { view: viewPrompt },
  rules: { view: (effects: StoredEffect[]) => effects.map(viewEffect) },
  secrets: { view: (found: SecretInPrompt[]) => found },
  credential: { view: (id: string) => id },
}

/** All services of a gateway. `stopping`: aborted when the gateway begins to close. */
export async function createServices(
  options: GatewayOptions,
  store: Store,
  stopping: AbortSignal,
  parts: Partial<OuterParts> = {},
) {
  const core = await createCoreServices(options, store, stopping, fieldViews, parts)
  const features = createFeatures(core)
  for (const feature of features) await feature.start?.()
  const tracer = features.find((feature) => feature.tracer)?.tracer ?? null
  return { ...core, features, tracer, hooks: features.flatMap(({ hooks = [] }) => hooks) }
}

/** The hooks are called in this order. */
function createFeatures(core: CoreServices): readonly Feature[] {
  const { activity, keys, inFlight, options, state } = core
  const { dataDir, credentials, webhookRetryMs: retryMs, telemetryEnvironment: environment = {} } = options
  const { installId } = state
  const plans = new PlanWindows(core)
  const secrets = createSecrets({
    onFound: (key, requestId, reason, isBlocked) =>
      // A client repeats what is refused, and a batch has many lines.
      activity.recordOnce(`secret ${key.id} ${isBlocked} ${reason}`, 600_000, {
        kind: isBlocked ? 'secret-blocked' : 'secret-sent',
        actor: GATEWAY,
        subject: requestId === null ? keySubject(key) : { kind: 'request', id: requestId, name: key.name },
        reason,
      }),
  })
  const rules = createRules({
    ...core,
    plans,
    onChanged: (rule, reason, by) =>
      activity.record({
        kind: 'rule-changed',
        actor: toActor(by),
        subject: { kind: 'rule', ...rule },
        reason,
      }),
  })
  return [
    secrets,
    { hooks: [new SubAgents(core.clock)] },
    createPlans(plans, core.usageSums),
    rules,
    createApprovals({
      ...core,
      announce: (key) => keys.announce(key),
      onAllowed: (approval, usd, by) => activity.record(toLimitChange(approval, usd, by)),
    }),
    createResponseCache(core),
    createPromptDoctor(core),
    createGuard({
      ...core,
      async pause({ id, name }, reason) {
        const done = keys.pause(id, reason)
        activity.record({ kind: 'key-paused', actor: GUARD, subject: keySubject({ id, name }), reason })
        inFlight.pause({ end: false })
        await done
      },
    }),
    createCredentialUse(core),
    loadOnDemand(['estimateCost'], async () =>
      (await import('../../features/estimator/gateway/estimate.ts')).createEstimator(core),
    ),
    loadOnDemand(['getReceipt', 'getSumReceipt'], async () =>
      (await import('../../features/receipts/gateway/create-receipt.ts')).createReceipts(core),
    ),
    createReconcile({ ...core, dataDir, confirmations: core.costConfirmations }),
    loadOnDemand(['getRepricing'], async () =>
      (await import('../../features/reprice/gateway/repricing.ts')).createReprice(core),
    ),
    loadOnDemand(['getPlanFit'], async () =>
      (await import('../../features/plan-fit/gateway/compare-plans.ts')).createPlanFit(core),
    ),
    createBatches({ ...core, hooks: [...(secrets.hooks ?? []), ...rules.hooks] }),
    createStatus({ ...core, plans }),
    createRetirements({
      ...core,
      usage: core.usageSums,
      listRules: (model) => rules.listNamesByModel(model),
      announce: ({ model, retiresAt, users }) =>
        activity.record({
          kind: 'model-retiring',
          actor: GATEWAY,
          subject: { kind: 'model', id: model, name: model },
          since: retiresAt,
          reason: users,
        }),
    }),
    createHistory({ ...core, dataDir, place: options.agents }),
    createWebhooks({ ...core, credentials, installId, retryMs }),
    createTelemetry({
      ...core,
      credentials,
      installId,
      environment,
      readGauges: () => ({
        keys: keys.list(),
        account: core.account.view(),
        inFlight: inFlight.size,
        plans: plans.list(),
      }),
    }),
  ]
}
