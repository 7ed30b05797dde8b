// Owns the shapes that go into and come out of the store's operations. The operations themselves are in
// `writes.ts` and `reads.ts`.
import type { ErrorBody } from '../../shared/errors.ts'
import type { ModelOverride } from '../../shared/models.ts'
import type { NanoUsd } from '../../shared/money.ts'
import type {
  AppliedPrice,
  Attempt,
  CostStatus,
  RequestStatus,
  USAGE_GROUPS,
  USAGE_SPLITS,
  UsageBuckets,
} from '../../shared/requests.ts'
import type {
  StoredIdempotency,
  StoredKey,
  StoredModelOverride,
  StoredProvider,
  StoredProviderModel,
  StoredRequest,
  Timings,
} from './rows.ts'

export type NewKey = Omit<StoredKey, 'lastUsedAt' | 'revokedAt' | 'spendNano'>

/** Absent members stay as they are. */
export interface KeyPatch {
  id: string
  name?: string
  spendLimitUsd?: number | null
  rpmLimit?: number | null
  tpmLimit?: number | null
}

export interface IdempotencyClaim {
  id: string
  keyId: string
  bodyHash: Uint8Array
  createdAt: number
  /** A claim from before this moment has expired and is replaced, unless it still runs. */
  expiredBefore?: number
}

export type ClaimResult = { claimed: true } | { claimed: false; existing: StoredIdempotency }

export interface NewRequest {
  id: string
  createdAt: number
  keyId: string
  requestedModel: string
  /** Where it is going first, if that is known; the settlement says who served it. */
  model?: string | null
  provider?: string | null
  stream: boolean
  /** An estimate of the prompt, shown while it runs and kept if it is abandoned. */
  tokensIn?: number
  reservedNano: NanoUsd
  estimateNano: NanoUsd | null
  price?: AppliedPrice | null
  queueMs?: number | null
  client: string | null
  /** Claimed in the same transaction. When it is already taken, nothing is opened. */
  idempotency?: IdempotencyClaim
}

export type OpenResult = { opened: true; seq: number } | { opened: false; existing: StoredIdempotency }

type FinalStatus = Exclude<RequestStatus, 'running' | 'refused' | 'rejected'>

export interface Settlement {
  id: string
  status: FinalStatus
  httpStatus: number | null
  error: ErrorBody | null
  model: string | null
  provider: string | null
  tokensIn: number
  tokensOut: number
  usage: UsageBuckets | null
  /** What is charged. Null, with status `unknown`, when there is no price: nothing is charged then. */
  costNano: NanoUsd | null
  costStatus: Exclude<CostStatus, 'pending'>
  costLowNano: NanoUsd | null
  costHighNano: NanoUsd | null
  price: AppliedPrice | null
  attempts: Attempt[]
  timings: Timings
  settledAt: number
  /** Only when the user has turned on keeping prompts and answers. */
  bodies?: { request: string | null; response: string | null }
  /** Keeps the sealed answer for replays, or forgets the claim so that the key can be used again. */
  idempotency?: { id: string; status: number; sealed: Uint8Array } | { id: string; drop: true }
}

export interface SettleResult {
  /** False when the request was settled before, or was never opened: nothing was changed. */
  applied: boolean
  keySpendNano: NanoUsd
  accountSpendNano: NanoUsd
}

/** What an unsettled request cost after all. */
export interface CostConfirmation {
  id: string
  costNano: NanoUsd
}

export type ConfirmResult =
  | { confirmed: true; request: StoredRequest /** Of either sign. */; differenceNano: NanoUsd }
  | { confirmed: false; refusal: ConfirmRefusal }

export type ConfirmRefusal =
  | { reason: 'unknown_request' }
  | { reason: 'not_unsettled'; costStatus: CostStatus }
  | { reason: 'out_of_bounds'; lowNano: NanoUsd; highNano: NanoUsd }

/** A request that was turned away before any upstream was called. It costs nothing and is in no sum. */
export interface RefusedRequest {
  id: string
  createdAt: number
  keyId: string
  requestedModel: string
  stream: boolean
  httpStatus: number
  error: ErrorBody
  queueMs?: number | null
  totalMs?: number | null
  client: string | null
}

/** How many calls the row of a refused request stands for by now. */
export interface RefusedCount {
  id: string
  count: number
  lastAt: number | null
}

export interface PruneResult {
  deleted: number
  /** There are more rows to prune: call again. */
  more: boolean
}

/** Everything the process keeps in memory from its start. */
export interface StoredState {
  installId: string
  installedAt: number
  /** No key was ever made: a fresh data dir. */
  isEmpty: boolean
  keys: StoredKey[]
  providers: StoredProvider[]
  providerModels: StoredProviderModel[]
  modelOverrides: StoredModelOverride[]
  settings: Record<string, unknown>
  accountSpendNano: NanoUsd
}

export interface RequestFilter {
  /** 1 to 500. */
  limit: number
  /** `nextCursor` of the page before. Anything else throws a StoreError with code `bad_cursor`. */
  cursor?: string
  keyId?: string
  /** The model that served, or the requested one where none did. */
  model?: string
  provider?: string
  /** An outcome, or an HTTP status. */
  status?: RequestStatus | number
  /** Inclusive. */
  from?: number
  /** Exclusive. */
  to?: number
  /** Inclusive. A request whose cost is not known fits neither. */
  minCostNano?: NanoUsd
  maxCostNano?: NanoUsd
  costStatus?: CostStatus
  /** A substring of the id, either model name, the error message or the client; ASCII letters in any case. */
  q?: string
}

export interface RequestPage {
  /** Newest first. May hold fewer than `limit` rows, or none, and still have a next page: a search looks
   * through a bounded number of rows at a time. */
  rows: StoredRequest[]
  nextCursor: string | null
}

export type UsageGroup = (typeof USAGE_GROUPS)[number]
export type UsageSplit = (typeof USAGE_SPLITS)[number]

export interface UsageFilter {
  /** Inclusive; absent is the beginning. */
  from?: number
  /** Exclusive; absent is the end. */
  to?: number
  groupBy: UsageGroup
  /** Cuts every group once more. */
  splitBy?: UsageSplit
  /** An IANA time zone; decides where days, weeks and months begin. */
  timeZone: string
}

export interface SpendInSpans {
  accountNano: NanoUsd
  /** In the order of the spans that were asked for. */
  spentNano: NanoUsd[]
}

export interface UsageSum {
  /**
   * The first day (YYYY-MM-DD) of a day, week or month; else a key id, model, provider ('' where none was reached) or
   * client ('' where it gave no name).
   */
  group: string
  /** With `splitBy`: the part of the group. */
  split?: string
  requests: number
  tokensIn: number
  tokensOut: number
  costNano: NanoUsd
}

/** Two totals that should agree and do not. */
export interface Discrepancy {
  what: string
  keyId: string | null
  expectedNano: number
  foundNano: number
}

export interface ModelListing {
  providerId: string
  models: { id: string; info: unknown }[]
  at: number
}

export interface OverridePut {
  id: string
  override: ModelOverride
  updatedAt: number
}

export interface Restored {
  /** The backup's file name. */
  backup: string
  /** When the backup was made: everything after it is lost. */
  madeAt: number
  /** Where what was there before was moved; null when there was nothing. */
  movedTo: string | null
  /** The user wanted it; otherwise the database was damaged or missing. */
  asked: boolean
}

export interface StoredBackup {
  /** Its file name. */
  id: string
  madeAt: number
  bytes: number
}

export interface StoredBackups {
  /** Newest first. */
  backups: StoredBackup[]
  /** The one that takes the database's place at the next start; null for none. */
  restoreAtStart: string | null
}

/** Why a backup was not marked for restoring. */
export type RestoreRefusal =
  | { reason: 'unknown' }
  /** `detail` is a text for the user. */
  | { reason: 'damaged' | 'newer'; detail: string }
