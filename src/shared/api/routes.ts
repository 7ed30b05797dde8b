// The method and path of each operation that the window and the command line call. They are apart from the schemas, which the
// window does without: it would load all of them, and zod, before it shows a number.

import { approvalRoutes } from '../../features/approvals/api/terms.ts'
import { batchRoutes } from '../../features/batches/api/terms.ts'
import { credentialUseRoutes } from '../../features/credential-use/api/terms.ts'
import { planFitRoutes } from '../../features/plan-fit/api/terms.ts'
import { promptRoutes } from '../../features/prompt-doctor/api/terms.ts'
import { receiptRoutes } from '../../features/receipts/api/terms.ts'
import { reconcileRoutes } from '../../features/reconcile/api/terms.ts'
import { repriceRoutes } from '../../features/reprice/api/terms.ts'
import { ruleRoutes } from '../../features/rules/api/terms.ts'
import { statusRoutes } from '../../features/status/api/terms.ts'
import { telemetryRoutes } from '../../features/telemetry/api/terms.ts'
import { webhookRoutes } from '../../features/webhooks/api/terms.ts'

export const routes = {
  listModels: { method: 'GET', path: '/v1/models' },
  getModel: { method: 'GET', path: '/v1/models/{id+}' },
  putModel: { method: 'PUT', path: '/v1/models/{id+}' },
  deleteModel: { method: 'DELETE', path: '/v1/models/{id+}' },
  estimateCost: { method: 'POST', path: '/v1/pricing/estimate' },
  getPrices: { method: 'GET', path: '/v1/prices' },
  listPriceSuggestions: { method: 'GET', path: '/v1/prices/suggestions' },
  refreshPrices: { method: 'POST', path: '/v1/prices/refresh' },

  getCallingKey: { method: 'GET', path: '/v1/key' },
  listKeys: { method: 'GET', path: '/v1/keys' },
  createKey: { method: 'POST', path: '/v1/keys' },
  getKey: { method: 'GET', path: '/v1/keys/{id}' },
  updateKey: { method: 'PATCH', path: '/v1/keys/{id}' },
  revokeKey: { method: 'DELETE', path: '/v1/keys/{id}' },
  pauseKey: { method: 'POST', path: '/v1/keys/{id}/pause' },
  resumeKey: { method: 'POST', path: '/v1/keys/{id}/resume' },

  listRequests: { method: 'GET', path: '/v1/requests' },
  getRequestTotals: { method: 'GET', path: '/v1/requests/totals' },
  listRunningRequests: { method: 'GET', path: '/v1/requests/running' },
  deleteBodies: { method: 'DELETE', path: '/v1/requests/bodies' },
  getRequest: { method: 'GET', path: '/v1/requests/{id}' },
  getRequestBodies: { method: 'GET', path: '/v1/requests/{id}/bodies' },
  stopRequest: { method: 'POST', path: '/v1/requests/{id}/stop' },
  settleRequest: { method: 'POST', path: '/v1/requests/{id}/settle' },
  releaseRequest: { method: 'POST', path: '/v1/requests/{id}/release' },
  getUsage: { method: 'GET', path: '/v1/usage' },
  ...promptRoutes,
  ...repriceRoutes,
  ...planFitRoutes,
  ...ruleRoutes,

  listSessions: { method: 'GET', path: '/v1/sessions' },
  getSessionTotals: { method: 'GET', path: '/v1/sessions/totals' },
  getSession: { method: 'GET', path: '/v1/sessions/{id}' },
  listSessionSteps: { method: 'GET', path: '/v1/sessions/{id}/steps' },
  recordGit: { method: 'POST', path: '/v1/git' },

  ...batchRoutes,

  ...receiptRoutes,

  ...reconcileRoutes,

  getHistory: { method: 'GET', path: '/v1/history' },
  listImportedSessions: { method: 'GET', path: '/v1/history/sessions' },
  importHistory: { method: 'POST', path: '/v1/history' },
  cancelHistoryImport: { method: 'DELETE', path: '/v1/history/import' },
  removeHistory: { method: 'DELETE', path: '/v1/history' },

  listProviders: { method: 'GET', path: '/v1/providers' },
  putProvider: { method: 'PUT', path: '/v1/providers/{id}' },
  deleteProvider: { method: 'DELETE', path: '/v1/providers/{id}' },
  testProvider: { method: 'POST', path: '/v1/providers/{id}/test' },
  tryProvider: { method: 'POST', path: '/v1/providers/{id}/try' },
  fetchProviderModels: { method: 'POST', path: '/v1/providers/{id}/models' },
  ...credentialUseRoutes,
  discoverProviders: { method: 'POST', path: '/v1/providers/discover' },
  listEnvironmentCredentials: { method: 'GET', path: '/v1/providers/environment' },
  importProvider: { method: 'POST', path: '/v1/providers/{id}/import' },

  listPlans: { method: 'GET', path: '/v1/plans' },
  getAccount: { method: 'GET', path: '/v1/account' },
  updateAccount: { method: 'PATCH', path: '/v1/account' },
  pauseAll: { method: 'POST', path: '/v1/pause' },
  resumeAll: { method: 'POST', path: '/v1/resume' },
  getSettings: { method: 'GET', path: '/v1/settings' },
  updateSettings: { method: 'PATCH', path: '/v1/settings' },
  listBackups: { method: 'GET', path: '/v1/backups' },
  createBackup: { method: 'POST', path: '/v1/backups' },
  getBackupFile: { method: 'GET', path: '/v1/backups/{id}/file' },
  importBackup: { method: 'POST', path: '/v1/backups/import' },
  restoreBackup: { method: 'POST', path: '/v1/backups/{id}/restore' },
  cancelRestore: { method: 'DELETE', path: '/v1/backups/{id}/restore' },

  ...webhookRoutes,

  ...approvalRoutes,
  ...statusRoutes,
  listPlanStates: { method: 'GET', path: '/v1/plan-windows' },
  getPlanHistory: { method: 'GET', path: '/v1/plan-windows/{id}/history' },
  getPlanShares: { method: 'GET', path: '/v1/plan-windows/{id}/shares' },
  listActivity: { method: 'GET', path: '/v1/activity' },
  markActivitySeen: { method: 'POST', path: '/v1/activity/seen' },
  streamEvents: { method: 'GET', path: '/v1/events' },
  getNetwork: { method: 'GET', path: '/v1/network' },
  getGateway: { method: 'GET', path: '/v1/gateway' },
  getHello: { method: 'GET', path: '/api/hello' },
  getHealth: { method: 'GET', path: '/healthz' },

  ...telemetryRoutes,
} as const
