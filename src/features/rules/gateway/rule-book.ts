// The rules in their order, and how they are changed.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ApiKeys } from '../../../gateway/keys/api-keys.ts'
import { type Clock, formatTime } from '../../../gateway/platform/clock.ts'
import { invalidRequest, notFound } from '../../../gateway/platform/errors.ts'
import { SerialQueue } from '../../../gateway/platform/wait.ts'
import type { Store } from '../../../gateway/store/store.ts'
import type { RuleChangeKind } from '../../../shared/api/activity.ts'
import { nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import type { Names } from '../api/conditions.ts'
import { describeRule, MAX_RULES, type Rule, type RuleChange, type RuleInput } from '../api/rules.ts'
import type { EffectSums, StoredRule } from './rule-rows.ts'

const SUMMED_MS = 30 * 86_400_000

export interface RuleBookDeps {
  store: Store
  clock: Clock
  keys: ApiKeys
}

export class RuleBook {
  readonly #deps: RuleBookDeps
  readonly #changes = new SerialQueue()
  #all: readonly StoredRule[] | null = null
  #reading: Promise<void> | null = null
  /** The rules that are not off. */
  #active: readonly StoredRule[] = []
  readonly #listeners: (() => void)[] = []
  readonly names: Names

  constructor(deps: RuleBookDeps) {
    this.#deps = deps
    this.names = { key: (id) => deps.keys.get(id)?.name ?? id }
  }

  /** The rules that are not off, in their order. Null while they are read. */
  get active(): readonly StoredRule[] | null {
    return this.#all && this.#active
  }

  /** Reads the rules, once. */
  read(): Promise<void> {
    this.#reading ??= this.#deps.store.write('readRules').then(
      (rules) => this.#use(rules),
      (error: unknown) => {
        this.#reading = null
        throw error
      },
    )
    return this.#reading
  }

  /** Calls the listener after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  getName(stored: StoredRule): string {
    return stored.rule.name ?? this.getSentence(stored)
  }

  getSentence({ rule }: StoredRule): string {
    return describeRule(rule, this.names)
  }

  /** The names of the rules that are not off and have the model serve. */
  async listNamesByModel(model: string): Promise<string[]> {
    await this.read()
    const isServing = ({ rule }: StoredRule) =>
      rule.do.some((action) => action.kind === 'model' && `/${action.model}`.endsWith(`/${model}`))
    return this.#active.filter(isServing).map((stored) => this.getName(stored))
  }

  async list(): Promise<Rule[]> {
    await this.read()
    const sums = await this.#deps.store.read('sumRuleEffects', this.#deps.clock.now() - SUMMED_MS)
    return (this.#all ?? []).map((stored) => this.#view(stored, sums))
  }

  /** The other rules that are on, and the place among them of one that is new, or changes the rule with this id. */
  async listOthers(id: string | undefined): Promise<{ others: readonly StoredRule[]; place: number }> {
    await this.read()
    const others = this.#active.filter((each) => each.id !== id && each.rule.mode === 'on')
    const position = this.#all?.find((each) => each.id === id)?.position ?? Infinity
    return { others, place: others.filter((each) => each.position < position).length }
  }

  /** Throws 400 when there are too many. */
  add(rule: RuleInput): Promise<Rule> {
    return this.#change((all) => {
      if (all.length >= MAX_RULES) throw invalidRequest(`There can be at most ${MAX_RULES} rules.`)
      const now = this.#deps.clock.now()
      const id = `rule_${randomUUID().replaceAll('-', '').slice(0, 12)}`
      const added = { id, position: all.length, createdAt: now, changedAt: now, rule }
      return { all: [...all, added], id }
    })
  }

  /** Returns also what was done. Throws 404. */
  async update(
    id: string,
    { position, ...change }: RuleChange,
  ): Promise<{ rule: Rule; done: RuleChangeKind[] }> {
    let done: RuleChangeKind[] = []
    const rule = await this.#change((all) => {
      const stored = require(all, id)
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      const isChanged = Object.keys(given).length > 0
      const updated = {
        ...stored,
        rule: { ...stored.rule, ...given },
        changedAt: isChanged ? this.#deps.clock.now() : stored.changedAt,
      }
      const others = all.filter((each) => each !== stored)
      const next = others.toSpliced(position ?? all.indexOf(stored), 0, updated)
      done = describeChange(stored.rule, updated.rule)
      if (next.indexOf(updated) !== all.indexOf(stored)) done.push('moved')
      return { all: next, id }
    })
    return { rule, done }
  }

  /** Returns its name. Throws 404. */
  remove(id: string): Promise<string> {
    return this.#changes.run(async () => {
      await this.read()
      const all = this.#all ?? []
      const removed = require(all, id)
      await this.#save(all.filter((each) => each !== removed))
      return this.getName(removed)
    })
  }

  #change(edit: (all: readonly StoredRule[]) => { all: readonly StoredRule[]; id: string }): Promise<Rule> {
    return this.#changes.run(async () => {
      await this.read()
      const { all, id } = edit(this.#all ?? [])
      await this.#save(all)
      const sums = await this.#deps.store.read('sumRuleEffects', this.#deps.clock.now() - SUMMED_MS)
      return this.#view(require(this.#all ?? [], id), sums)
    })
  }

  async #save(all: readonly StoredRule[]): Promise<void> {
    const rules = all.map((each, position) => ({ ...each, position }))
    await this.#deps.store.write('putRules', rules)
    this.#use(rules)
  }

  #use(rules: readonly StoredRule[]): void {
    this.#all = rules
    this.#active = rules.filter(({ rule }) => rule.mode !== 'off')
    for (const listener of this.#listeners) listener()
  }

  #view(stored: StoredRule, sums: readonly EffectSums[]): Rule {
    const { id, createdAt, changedAt, rule } = stored
    const getSums = (shadow: boolean) => {
      const sum = sums.find((each) => each.ruleId === id && each.shadow === shadow)
      return {
        requests: sum?.requests ?? 0,
        asked: sum?.asked ?? 0,
        savedUsd: nanoToUsd(nanoUsd(sum?.savedNano ?? 0)),
        rewriteUsd: nanoToUsd(nanoUsd(sum?.rewriteNano ?? 0)),
        unpriced: sum?.unpriced ?? 0,
      }
    }
    return {
      ...rule,
      id,
      sentence: this.getSentence(stored),
      createdAt: formatTime(createdAt),
      changedAt: formatTime(changedAt),
      acted: getSums(false),
      shadowed: getSums(true),
    }
  }
}

function describeChange(
  { mode: before, ...rest }: RuleInput,
  { mode, ...changed }: RuleInput,
): RuleChangeKind[] {
  const done: RuleChangeKind[] = isDeepStrictEqual(rest, changed) ? [] : ['changed']
  return mode === before ? done : [...done, mode]
}

function require(all: readonly StoredRule[], id: string): StoredRule {
  const stored = all.find((each) => each.id === id)
  if (!stored) throw notFound(`There is no rule "${id}".`)
  return stored
}
