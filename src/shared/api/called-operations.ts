// The operations that the clients of this project call: all but those of the APIs for models, whose schemas are large.
import { approvalOperations } from '../../features/approvals/api/operations.ts'
import { batchJobOperations } from '../../features/batches/api/operations.ts'
import { credentialUseOperations } from '../../features/credential-use/api/operations.ts'
import { planFitOperations } from '../../features/plan-fit/api/operations.ts'
import { promptOperations } from '../../features/prompt-doctor/api/operations.ts'
import { receiptOperations } from '../../features/receipts/api/operations.ts'
import { reconcileOperations } from '../../features/reconcile/api/operations.ts'
import { repriceOperations } from '../../features/reprice/api/operations.ts'
import { ruleOperations } from '../../features/rules/api/operations.ts'
import { statusOperations } from '../../features/status/api/operations.ts'
import { telemetryOperations } from '../../features/telemetry/api/operations.ts'
import { webhookOperations } from '../../features/webhooks/api/operations.ts'
import { accountOperations } from './operations/account.ts'
import { activityOperations } from './operations/activity.ts'
import { gatewayOperations } from './operations/gateway.ts'
import { historyOperations } from './operations/history.ts'
import { keysOperations } from './operations/keys.ts'
import { modelsOperations } from './operations/models.ts'
import type { Operation } from './operations/operation.ts'
import { plansOperations } from './operations/plans.ts'
import { providersOperations } from './operations/providers.ts'
import { requestsOperations } from './operations/requests.ts'
import { sessionsOperations } from './operations/sessions.ts'

export const calledOperations = {
  ...modelsOperations,
  ...keysOperations,
  ...requestsOperations,
  ...receiptOperations,
  ...reconcileOperations,
  ...repriceOperations,
  ...planFitOperations,
  ...sessionsOperations,
  ...batchJobOperations,
  ...providersOperations,
  ...credentialUseOperations,
  ...accountOperations,
  ...approvalOperations,
  ...promptOperations,
  ...ruleOperations,
  ...statusOperations,
  ...plansOperations,
  ...webhookOperations,
  ...activityOperations,
  ...historyOperations,
  ...gatewayOperations,
  ...telemetryOperations,
} satisfies Record<string, Operation>
