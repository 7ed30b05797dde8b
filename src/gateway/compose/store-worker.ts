// The entry point of all threads of the store, with the parts of features in it.
import { parentPort, workerData } from 'node:worker_threads'
import { activityRows } from '../../features/activity/gateway/activity-rows.ts'
import { batchRows } from '../../features/batches/gateway/batch-rows.ts'
import { credentialRows } from '../../features/credential-use/gateway/credential-rows.ts'
import { importedRows } from '../../features/history/gateway/imported-usage-rows.ts'
import { planRows } from '../../features/plans/gateway/plan-rows.ts'
import { promptRows } from '../../features/prompt-doctor/gateway/prompt-rows.ts'
import { reconciliationRows } from '../../features/reconcile/gateway/reconciliation-rows.ts'
import { groupRows } from '../../features/reprice/gateway/group-rows.ts'
import { answerRows } from '../../features/response-cache/gateway/answer-rows.ts'
import { ruleRows } from '../../features/rules/gateway/rule-rows.ts'
import { runThread } from '../store/engine/worker.ts'
import { registerParts } from '../store/part.ts'

/** Without its line, the part of a feature is gone. */
registerParts([
  activityRows,
  planRows,
  promptRows,
  reconciliationRows,
  groupRows,
  answerRows,
  importedRows,
  ruleRows,
  credentialRows,
  batchRows,
])

if (parentPort) void runThread(parentPort, workerData)
