// The rules, and their part in requests to models, which is loaded once there is a rule that is not off.
import type { Principal } from '../../../gateway/http/auth.ts'
import type { Feature } from '../../../gateway/http/calls.ts'
import { formatTime } from '../../../gateway/platform/clock.ts'
import type { GatewayError } from '../../../gateway/platform/errors.ts'
import type { FinalOutcome } from '../../../gateway/request/ledger.ts'
import type { Arrival, LineChange, LineOrRequest, RequestHook, Run } from '../../../gateway/request/run.ts'
import type { Call } from '../../../gateway/store/store.ts'
import type { RuleChangeKind } from '../../../shared/api/activity.ts'
import { nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import type { RuleEffect } from '../api/effects.ts'
import type { Rule } from '../api/rules.ts'
import type { HookDeps, RuleHook } from './apply-rules.ts'
import type { RehearseDeps } from './rehearse.ts'
import { RuleBook, type RuleBookDeps } from './rule-book.ts'
import type { StoredEffect } from './rule-rows.ts'

interface RulesDeps extends RuleBookDeps, HookDeps, RehearseDeps {
  /** Told what was done to a rule, and by whom. */
  onChanged(rule: { id: string; name: string }, done: RuleChangeKind, by: Principal): void
}

class RuleLoader implements RequestHook {
  readonly #deps: RulesDeps
  readonly #book: RuleBook
  #hook: RuleHook | null = null

  constructor(deps: RulesDeps, book: RuleBook) {
    this.#deps = deps
    this.#book = book
  }

  before(arrival: Arrival): Promise<void> | undefined {
    const rules = this.#book.active
    if (rules === null) return this.#book.read().then(() => this.before(arrival))
    if (rules.length === 0) return undefined
    if (this.#hook) return this.#hook.before(arrival, rules)
    return this.#load().then((hook) => hook.before(arrival, rules))
  }

  beforeLine(line: LineOrRequest): Promise<LineChange | null> | null {
    const rules = this.#book.active
    if (rules === null) return this.#book.read().then(() => this.beforeLine(line))
    if (rules.length === 0) return null
    return import('./batch-lines.ts').then(({ applyToLine }) =>
      applyToLine(line, rules, this.#deps, this.#book),
    )
  }

  async #load(): Promise<RuleHook> {
    const { RuleHook } = await import('./apply-rules.ts')
    this.#hook ??= new RuleHook(this.#deps, this.#book)
    return this.#hook
  }

  answered(run: Run): void {
    this.#hook?.answered(run)
  }

  refused(arrival: Arrival, error: GatewayError): void {
    this.#hook?.refused(arrival, error)
  }

  keep(run: Run, outcome: FinalOutcome): readonly Call[] | undefined {
    return this.#hook?.keep(run, outcome)
  }
}

/** `listNamesByModel`: the names of rules, for features that say who uses a model. */
export function createRules(
  deps: RulesDeps,
): Feature & { hooks: RequestHook[]; listNamesByModel(model: string): Promise<string[]> } {
  const { onChanged } = deps
  const book = new RuleBook(deps)
  return {
    listNamesByModel: (model) => book.listNamesByModel(model),
    hooks: [new RuleLoader(deps, book)],
    handlers: {
      listRules: async () => ({ data: await book.list() }),
      createRule: async ({ body, principal }) => {
        const rule = await book.add(body)
        onChanged(toSubject(rule), 'added', principal)
        return rule
      },
      rehearse: async ({ body }) => {
        const { rehearse } = await import('./rehearse.ts')
        return rehearse(body, (id) => book.listOthers(id), deps)
      },
      updateRule: async ({ id, body, principal }) => {
        const { rule, done } = await book.update(id, body)
        for (const change of done) onChanged(toSubject(rule), change, principal)
        return rule
      },
      deleteRule: async ({ id, principal }) => {
        onChanged({ id, name: await book.remove(id) }, 'deleted', principal)
        return { id, deleted: true }
      },
      listRuledRequests: async ({ query: { rule, request, session, limit } }) => {
        const rows = await deps.store.read('listRuleEffects', { rule, request, session, limit })
        return {
          data: rows.map(({ requestId, createdAt, askedModel, ...effect }) => ({
            ...viewEffect(effect),
            requestId,
            createdAt: formatTime(createdAt),
            askedModel,
          })),
        }
      },
    },
  }
}

function toSubject({ id, name, sentence }: Rule): { id: string; name: string } {
  return { id, name: name ?? sentence }
}

/** As the API shows it. */
export function viewEffect({ savedNano, rewriteNano, ...effect }: StoredEffect): RuleEffect {
  return {
    ...effect,
    savedUsd: savedNano === null ? null : nanoToUsd(nanoUsd(savedNano)),
    rewriteUsd: rewriteNano === null ? null : nanoToUsd(nanoUsd(rewriteNano)),
  }
}
