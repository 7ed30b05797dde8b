// The operations of the core.

import * as costConfirmation from './ledger/cost-confirmation.ts'
import * as idempotency from './ledger/idempotency.ts'
import * as ledger from './ledger/ledger.ts'
import * as maintenance from './ledger/maintenance.ts'
import * as space from './ledger/space.ts'
import * as requestLog from './listings/request-log.ts'
import * as sessions from './listings/sessions.ts'
import * as usage from './listings/usage.ts'
import { sweepParts } from './part.ts'
import * as damageCheck from './settings/damage-check.ts'
import * as keys from './settings/keys.ts'
import * as providers from './settings/providers.ts'
import * as settings from './settings/settings.ts'
import * as gitUsage from './sums/git-usage.ts'
import * as rollupColumns from './sums/rollup-columns.ts'
import * as spendSums from './sums/spend-sums.ts'

/** The operations of the writer thread, each of which is atomic. */
export const writes = {
  insertKey: keys.insertKey,
  updateKey: keys.updateKey,
  revokeKey: keys.revokeKey,
  pauseKey: keys.pauseKey,
  touchKeys: keys.touchKeys,
  openRequest: ledger.openRequest,
  raiseReserved: ledger.raiseReserved,
  settleRequest: ledger.settleRequest,
  recordSettled: ledger.recordSettled,
  confirmCost: costConfirmation.confirmCost,
  loadHolds: ledger.loadHolds,
  removeHold: ledger.removeHold,
  recordRefused: ledger.recordRefused,
  countRefused: ledger.countRefused,
  settleAbandoned: maintenance.settleAbandoned,
  ...space,
  noteCheck: damageCheck.noteCheck,
  setRollupTimeZone: rollupColumns.setRollupTimeZone,
  putProvider: providers.putProvider,
  deleteProvider: providers.deleteProvider,
  replaceProviderModels: providers.replaceProviderModels,
  putModelOverride: providers.putModelOverride,
  deleteModelOverride: providers.deleteModelOverride,
  putSettings: settings.putSettings,
  adoptProviders: settings.adoptProviders,
  forgetReceiptKey: settings.forgetReceiptKey,
  sweepParts,
  recordGit: gitUsage.recordGit,
  ...idempotency,
}

/** The operations of the reader threads. */
export const reads = {
  isCheckDue: damageCheck.isCheckDue,
  checkDamage: damageCheck.checkDamage,
  loadState: settings.loadState,
  recentSessions: sessions.recentSessions,
  getSession: sessions.getSession,
  listAnswers: requestLog.listAnswers,
  getSessions: sessions.getSessions,
  listSessions: sessions.listSessions,
  sessionTotals: sessions.sessionTotals,
  checkTotals: maintenance.checkTotals,
  listRequests: requestLog.listRequests,
  listSorted: requestLog.listSorted,
  requestTotals: requestLog.requestTotals,
  getRequest: requestLog.getRequest,
  getBodies: requestLog.getBodies,
  getConfirmation: costConfirmation.getConfirmation,
  spendIn: spendSums.spendIn,
  sessionSpend: spendSums.sessionSpend,
  usage: usage.usage,
}

type CoreWrites = typeof writes
type CoreReads = typeof reads

/** The operations of the core and, added by `declare module`, of features. */
export interface Writes extends CoreWrites {}
export interface Reads extends CoreReads {}
