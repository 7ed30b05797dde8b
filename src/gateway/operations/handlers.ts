import type { Plan } from '../../shared/api/account.ts'
import type { KeyUpdate } from '../../shared/api/keys.ts'
import type { ModelRecord } from '../../shared/api/models.ts'
import { operations } from '../../shared/api/operations.ts'
import type { MatchesModel } from '../../shared/values/model-pattern.ts'
import type { Principal } from '../http/auth.ts'
import type { Handler, JsonHandlers } from '../http/calls.ts'
import type { Catalog } from '../models/catalog/catalog.ts'
import { invalidRequest, notFound } from '../platform/errors.ts'
import { keyRevoked } from '../request/in-flight.ts'
import { modelNotAllowed } from '../request/select.ts'
import { recordActivity, toActor } from './activity-records.ts'
import { countGeminiTokens, countMessageTokens, toGeminiModel } from './count-tokens.ts'
import { deleteResponse, getResponse, listResponseInputItems } from './responses.ts'
import type { GatewayServices } from './services.ts'
import { listSessionSteps } from './session-steps.ts'
import { getRequestBodies } from './stored-chat.ts'
import { createStreamHandlers, importBackupFile } from './stream-handlers.ts'

/** Creates the handlers by the ids of operations: those of the core, and those of the features. */
export function createHandlers(services: GatewayServices): ReadonlyMap<string, Handler> {
  const core = createJsonHandlers(services)
  const byId = {
    ...core,
    ...recordActivity(core, services),
    ...Object.fromEntries(createStreamHandlers(services)),
    ...Object.assign({}, ...services.features.map(({ handlers }) => handlers)),
  }
  return new Map(
    Object.keys(operations).map((id): [string, Handler] => {
      const handle = byId[id]
      if (!handle) throw new Error(`the operation ${id} has no handler`)
      return [id, { handle }]
    }),
  )
}

function createJsonHandlers(services: GatewayServices) {
  const { account, catalog, keys, providers, providerModels, records, settings, usageSums } = services
  const modelCount = (id: string) => catalog.sources.modelCount(id)
  return {
    countMessageTokens: (call) => countMessageTokens(call, services),
    listModels: ({ query, principal }) => {
      const data = listModels(catalog, principal, query.include === 'disabled')
      return {
        object: 'list',
        data,
        has_more: false,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
      }
    },
    getModel: ({ id, principal }) => getModel(catalog, principal, id),
    listGeminiModels: ({ principal }) => ({
      models: listModels(catalog, principal, false).map(toGeminiModel),
    }),
    getGeminiModel: ({ id, principal }) => toGeminiModel(getModel(catalog, principal, id)),
    countGeminiTokens: (call) => countGeminiTokens(call, services),
    putModel: ({ id, body }) => catalog.put(id, body),
    deleteModel: async ({ id }) => {
      await catalog.dropOverride(id)
      return { id, deleted: true }
    },
    getCallingKey: ({ principal }) => {
      if (principal.kind === 'owner')
        throw notFound('The window calls as the owner of this machine, without a key.')
      return {
        ...keys.view(principal.key),
        remainingUsd: services.budget.limits.computeRemainingUsd(principal.key),
      }
    },
    listKeys: () => ({ data: keys.list() }),
    createKey: async ({ body }) => {
      refuseAbovePlan(body, account.plan)
      const created = await keys.create(body)
      await services.budget.refreshLimits()
      return created
    },
    getKey: ({ id }) => keys.view(keys.require(id)),
    updateKey: async ({ id, body }) => {
      refuseAbovePlan(body, account.plan, keys.require(id))
      await keys.update(id, body)
      services.inFlight.endExpired()
      await services.budget.refreshLimits()
      return keys.view(keys.require(id))
    },
    revokeKey: ({ id, principal }) => {
      // The window needs no key.
      if (principal.kind === 'key') keys.refuseLastAdmin(id)
      const done = keys.revoke(id)
      services.inFlight.abortAllFor(id, keyRevoked())
      return done
    },
    pauseKey: async ({ id, body: { reason, running } }) => {
      const done = keys.pause(id, reason ?? null)
      services.inFlight.pause({ end: running === 'end' })
      return await done
    },
    resumeKey: ({ id }) => keys.resume(id),
    listPlans: () => ({ data: account.plans() }),
    listRequests: ({ query }) => records.list(query),
    getRequestTotals: ({ query }) => records.totals(query),
    listRunningRequests: () => ({
      data: services.inFlight.list(),
      todaySpendUsd: services.account.view().todaySpendUsd,
    }),
    stopRequest: async ({ id }) => {
      await services.inFlight.stop(id)
      return records.get(id)
    },
    getRequest: ({ id }) => records.get(id),
    listSessions: ({ query }) => services.sessionLog.list(query),
    getSessionTotals: ({ query }) => services.sessionLog.totals(query),
    getSession: ({ id }) => services.sessionLog.get(id),
    listSessionSteps: ({ id }) => listSessionSteps(id, services),
    recordGit: ({ body }) => services.sessionLog.recordGit(body),
    getRequestBodies: ({ id }) => getRequestBodies(id, services),
    getResponse: (call) => getResponse(call, services),
    deleteResponse: (call) => deleteResponse(call, services),
    listResponseInputItems: (call) => listResponseInputItems(call, services),
    deleteBodies: () => records.deleteBodies(),
    settleRequest: ({ id, body }) => services.costConfirmations.settle(id, body.costUsd),
    releaseRequest: ({ id }) => services.costConfirmations.release(id),
    getUsage: ({ query }) => usageSums.read(query),
    getAccount: () => account.view(),
    updateAccount: async ({ body }) => {
      await account.update(body)
      await services.budget.refreshLimits()
      return account.view()
    },
    pauseAll: async ({ body }) => {
      const done = account.pauseSwitch.pause()
      services.inFlight.pause({ end: body.running === 'end' })
      await done
      return account.view()
    },
    resumeAll: async () => {
      await account.pauseSwitch.resume()
      return account.view()
    },
    listProviders: () => ({ data: providers.list(modelCount) }),
    putProvider: async ({ id, body }) => {
      refuseLoop(body.baseUrl, services.port())
      await providers.put(id, body)
      return providers.record(id, modelCount)
    },
    deleteProvider: async ({ id }) => {
      await providers.remove(id)
      catalog.sources.dropListings(id)
      return { id, deleted: true }
    },
    testProvider: ({ id }) => providerModels.test(id),
    tryProvider: ({ id, body }) => {
      refuseLoop(body.baseUrl, services.port())
      return providerModels.try(id, body)
    },
    fetchProviderModels: async ({ id }) => ({ data: await providerModels.refresh(id) }),
    discoverProviders: async () => ({ data: await providerModels.discover(services.port()) }),
    listEnvironmentCredentials: () => ({ data: services.providerImport.list() }),
    importProvider: async ({ id }) => {
      await services.providerImport.import(id)
      return providers.record(id, modelCount)
    },
    getPrices: () => services.prices.status(),
    listPriceSuggestions: () => ({ data: catalog.suggestPrices() }),
    refreshPrices: async ({ principal }) => {
      const { status, changedModels: models } = await services.prices.refresh()
      services.activity.record({ kind: 'prices-updated', actor: toActor(principal), subject: null, models })
      return status
    },
    getSettings: () => settings.value,
    updateSettings: async ({ body }) => {
      const updated = await settings.update(body)
      await account.recount()
      return updated
    },
    listBackups: () => services.backups.list(),
    createBackup: () => services.backups.create(),
    importBackup: ({ context }) => importBackupFile(context, services),
    restoreBackup: ({ id, principal, body }) =>
      services.backups.scheduleRestore(id, { by: toActor(principal), ...body }),
    cancelRestore: ({ id }) => services.backups.cancelRestore(id),
    getGateway: () => services.info(),
    listActivity: ({ query, principal }) => services.activity.list(query, toActor(principal)),
    markActivitySeen: ({ body, principal }) => services.activity.markSeen(body.until, toActor(principal)),
    getNetwork: () => services.pool.outbound.examine(providers.listEnabled()),
    getHello: () => ({ message: 'hello' }),
    getHealth: () => ({ status: services.stopping.aborted ? 'draining' : 'ok', version: services.version }),
  } satisfies Partial<JsonHandlers>
}

// The models that the caller may use, of all that the catalog has.

function listModels(catalog: Catalog, principal: Principal, withDisabled: boolean): ModelRecord[] {
  const models = catalog.list(withDisabled)
  const matches = principal.kind === 'key' ? principal.key.modelMatcher : null
  return matches === null ? models : models.filter((model) => isAllowed(model, matches))
}

/** Throws 404 for an unknown model, and 403 for one that the key may not use. */
function getModel(catalog: Catalog, principal: Principal, id: string): ModelRecord {
  const model = catalog.get(id)
  if (principal.kind === 'owner' || principal.key.modelMatcher === null) return model
  if (isAllowed(model, principal.key.modelMatcher)) return model
  throw modelNotAllowed(principal.key.name, id)
}

function isAllowed({ id, providers }: ModelRecord, matches: MatchesModel): boolean {
  return providers.some((provider) => {
    // The caller may have asked for `provider/id`.
    const plain = id.startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id
    return matches(plain, provider) || matches(id, provider)
  })
}

/** A key's own limits lie within its plan's. One that was set under a larger plan may stay. */
function refuseAbovePlan(
  limits: Pick<KeyUpdate, 'rpmLimit' | 'tpmLimit'>,
  { requestsPerMinute, tokensPerMinute }: Plan,
  before?: Pick<KeyUpdate, 'rpmLimit' | 'tpmLimit'>,
): void {
  const most = { rpmLimit: requestsPerMinute, tpmLimit: tokensPerMinute }
  for (const field of ['rpmLimit', 'tpmLimit'] as const) {
    const value = limits[field] ?? null
    if (value === null || value <= most[field] || value === before?.[field]) continue
    throw invalidRequest(
      `"${field}" can be at most ${most[field]}, the limit for all keys together. It is set in Tollgate under Settings, in the section Limits, or with PATCH /v1/settings (planLimits).`,
      { param: field },
    )
  }
}

/** A gateway that is its own provider would call itself until something breaks. */
function refuseLoop(baseUrl: string | undefined, port: number): void {
  if (baseUrl === undefined) return
  const url = new URL(baseUrl)
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(url.hostname)
  if (loopback && Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === port) {
    throw invalidRequest('This is the address of Tollgate itself. Enter the address of the provider.', {
      param: 'baseUrl',
    })
  }
}
