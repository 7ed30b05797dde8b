// Rules ask the owner once for each session or sub-agent, and not again before the rule is changed.
import type { Log } from '../../../gateway/platform/log.ts'
import type { OwnerQuestion } from '../../../gateway/request/run.ts'
import type { Store } from '../../../gateway/store/store.ts'
import type { RuleBook } from './rule-book.ts'
import type { RuleRunPlace, StoredRule } from './rule-rows.ts'

/** Questions that are remembered; the answers of others are read again. */
const MAX_QUESTIONS = 10_000

export interface QuestionDeps {
  store: Store
  log: Log
}

export class RuleQuestion implements OwnerQuestion {
  readonly rule: OwnerQuestion['rule']
  /** The answer; null as long as there is none. */
  isAllowed: boolean | null
  readonly #withdrawal = new AbortController()
  readonly #keep: (isAllowed: boolean) => void

  constructor(
    rule: OwnerQuestion['rule'],
    isAllowed: boolean | null,
    keepAnswer: (isAllowed: boolean) => void,
  ) {
    this.rule = rule
    this.isAllowed = isAllowed
    this.#keep = keepAnswer
  }

  get withdrawn(): AbortSignal {
    return this.#withdrawal.signal
  }

  answer(isAllowed: boolean): void {
    this.isAllowed = isAllowed
    this.#keep(isAllowed)
  }

  withdraw(): void {
    this.#withdrawal.abort()
  }
}

export class RuleQuestions {
  readonly #deps: QuestionDeps
  readonly #book: RuleBook
  readonly #remembered = new Map<string, { stored: StoredRule; question: Promise<RuleQuestion> }>()

  constructor(deps: QuestionDeps, book: RuleBook) {
    this.#deps = deps
    this.#book = book
    book.onChange(() => this.#withdraw())
  }

  /** The question of a rule about a run: the same one for requests that come together. `now`: epoch milliseconds. */
  find(stored: StoredRule, place: RuleRunPlace, now: number): Promise<RuleQuestion> {
    const name = JSON.stringify([stored.id, stored.changedAt, place.session, place.agent])
    const remembered = this.#remembered.get(name)
    if (remembered) return remembered.question
    const question = this.#read(stored, place, now)
    if (this.#remembered.size >= MAX_QUESTIONS) this.#forgetOldest()
    this.#remembered.set(name, { stored, question })
    question.catch(() => this.#remembered.delete(name))
    return question
  }

  async #read(stored: StoredRule, place: RuleRunPlace, now: number): Promise<RuleQuestion> {
    const { store, log } = this.#deps
    const run = { ...place, ruleId: stored.id, ruleChangedAt: stored.changedAt }
    const isAllowed = await store.read('readRuleAnswer', run)
    const rule = { id: stored.id, name: this.#book.getName(stored), sentence: this.#book.getSentence(stored) }
    return new RuleQuestion(rule, isAllowed, (answer) => {
      store
        .writeSoon('putRuleAnswer', { ...run, answeredAt: now, isAllowed: answer })
        .catch((err: unknown) => log.warn('The answer to a rule could not be stored', { err }))
    })
  }

  /** Ends the questions of rules that were changed, deleted or turned off. */
  #withdraw(): void {
    const active = this.#book.active ?? []
    for (const [name, { stored, question }] of this.#remembered) {
      if (active.some(({ id, changedAt }) => id === stored.id && changedAt === stored.changedAt)) continue
      this.#remembered.delete(name)
      question.then(
        (ended) => ended.withdraw(),
        () => {},
      )
    }
  }

  #forgetOldest(): void {
    for (const name of this.#remembered.keys()) {
      if (this.#remembered.size <= MAX_QUESTIONS / 2) return
      this.#remembered.delete(name)
    }
  }
}
