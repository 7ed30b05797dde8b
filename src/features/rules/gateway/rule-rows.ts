// The rules in the database, what they did to requests, and the facts by which they were tried.
import type { StorePart } from '../../../gateway/store/part.ts'
import { setFeatureField } from '../../../gateway/store/rows/request-columns.ts'
import { findSession } from '../../../gateway/store/rows/session-rows.ts'
import {
  condition,
  type Db,
  joinConditions,
  type SqlValue,
  statement,
} from '../../../gateway/store/sql/statement.ts'
import type { RuleEffect } from '../api/effects.ts'
import type { RequestFacts, StateFacts } from '../api/facts.ts'
import type { RuleInput } from '../api/rules.ts'
import { pastReads } from './past-rows.ts'

export interface StoredRule {
  id: string
  position: number
  /** Epoch milliseconds. */
  createdAt: number
  changedAt: number
  rule: RuleInput
}

/** A session, or one of its sub-agents. */
export interface RuleRunPlace {
  session: string
  /** '' for the main agent. */
  agent: string
}

/** A run as it began. */
interface StoredRun extends RuleRunPlace {
  startedAt: number
  facts: StateFacts
}

/** A run about which a rule asks, as long as the rule is not changed. */
interface RunOfRule extends RuleRunPlace {
  ruleId: string
  ruleChangedAt: number
}

interface StoredAnswer extends RunOfRule {
  answeredAt: number
  isAllowed: boolean
}

/** The facts of a request that its row in the log does not have. */
export type StoredFacts = StateFacts & Pick<RequestFacts, 'caller' | 'effort' | 'premiums'>

export interface StoredEffect extends Omit<RuleEffect, 'savedUsd' | 'rewriteUsd'> {
  savedNano: number | null
  rewriteNano: number | null
}

interface ListedEffect extends StoredEffect {
  requestId: string
  createdAt: number
  askedModel: string
}

const all = statement<[], Omit<StoredRule, 'rule'> & { rule: string }>(`
  SELECT id, position, created_at AS createdAt, changed_at AS changedAt, rule FROM rules ORDER BY position, id`)
const clear = statement<[]>('DELETE FROM rules')
const add = statement<[string, number, number, number, string]>(
  'INSERT INTO rules (id, position, created_at, changed_at, rule) VALUES (?, ?, ?, ?, ?)',
)

function readRules(db: Db): StoredRule[] {
  return all(db)
    .all()
    .map(({ rule, ...row }) => ({ ...row, rule: JSON.parse(rule) }))
}

/** Replaces all rules: there are few, and their order is one. */
function putRules(db: Db, rules: readonly StoredRule[]): void {
  clear(db).run()
  for (const { id, createdAt, changedAt, rule, position } of rules)
    add(db).run(id, position, createdAt, changedAt, JSON.stringify(rule))
}

const findRun = statement<[string, string], { startedAt: number; facts: string }>(
  'SELECT started_at AS startedAt, facts FROM rule_runs WHERE session = ? AND agent = ?',
)
const anyRequest = statement<[number, string | null], { found: number }>(
  'SELECT 1 AS found FROM requests WHERE session = ? AND agent_id IS ? LIMIT 1',
)
const addRun = statement<[string, string, number, string]>(
  'INSERT OR IGNORE INTO rule_runs (session, agent, started_at, facts) VALUES (?, ?, ?, ?)',
)

/** The stored start of a run, and whether it has begun: then the log has a request of it. */
function readRuleRun(db: Db, { session, agent }: RuleRunPlace): { run: StoredRun | null; hasBegun: boolean } {
  const row = findRun(db).get(session, agent)
  if (row)
    return { run: { session, agent, startedAt: row.startedAt, facts: JSON.parse(row.facts) }, hasBegun: true }
  const nr = findSession(db, session)
  return { run: null, hasBegun: nr !== null && anyRequest(db).get(nr, agent || null) !== undefined }
}

function putRuleRun(db: Db, { session, agent, startedAt, facts }: StoredRun): void {
  addRun(db).run(session, agent, startedAt, JSON.stringify(facts))
}

const findAnswer = statement<[string, string, string, number], { isAllowed: number }>(
  'SELECT is_allowed AS isAllowed FROM rule_answers WHERE session = ? AND agent = ? AND rule_id = ? AND rule_changed_at = ?',
)
const addAnswer = statement<SqlValue[]>(`
  INSERT OR REPLACE INTO rule_answers (session, agent, rule_id, rule_changed_at, answered_at, is_allowed) VALUES (?, ?, ?, ?, ?, ?)`)

/** Whether the owner has allowed the run; null without an answer. */
function readRuleAnswer(db: Db, { session, agent, ruleId, ruleChangedAt }: RunOfRule): boolean | null {
  const row = findAnswer(db).get(session, agent, ruleId, ruleChangedAt)
  return row ? row.isAllowed === 1 : null
}

function putRuleAnswer(
  db: Db,
  { session, agent, ruleId, ruleChangedAt, answeredAt, isAllowed }: StoredAnswer,
): void {
  addAnswer(db).run(session, agent, ruleId, ruleChangedAt, answeredAt, isAllowed ? 1 : 0)
}

const addFacts = statement<[string, number, string]>(
  'INSERT OR REPLACE INTO rule_facts (request_id, created_at, facts) VALUES (?, ?, ?)',
)
const addEffect = statement<SqlValue[]>(`
  INSERT OR REPLACE INTO rule_effects (request_id, is_shadow, rule_id, rule_name, created_at, session, asked_model, changes, answer,
    unable, saved_nano, rewrite_nano) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)

interface RuledRow {
  requestId: string
  createdAt: number
  session: string
  askedModel: string
  facts: StoredFacts
  effects: readonly StoredEffect[]
}

function putRuled(db: Db, { requestId, createdAt, session, askedModel, facts, effects }: RuledRow): void {
  addFacts(db).run(requestId, createdAt, JSON.stringify(facts))
  if (effects.length > 0) setFeatureField(db, requestId, 'rules', effects)
  for (const each of effects) {
    const { shadow, ruleId, ruleName, changes, answer, unable, savedNano, rewriteNano } = each
    addEffect(db).run(
      requestId,
      shadow ? 1 : 0,
      ruleId,
      ruleName,
      createdAt,
      session,
      askedModel,
      JSON.stringify(changes),
      answer,
      unable,
      savedNano,
      rewriteNano,
    )
  }
}

const EFFECT = `request_id AS requestId, is_shadow AS shadow, rule_id AS ruleId, rule_name AS ruleName, created_at AS createdAt,
  asked_model AS askedModel, changes, answer, unable, saved_nano AS savedNano, rewrite_nano AS rewriteNano`

interface EffectFilter {
  rule: string | undefined
  request: string | undefined
  session: string | undefined
  limit: number
}

function listRuleEffects(db: Db, { rule, request, session, limit }: EffectFilter): ListedEffect[] {
  const { where, values } = joinConditions([
    ...condition('rule_id = ?', rule),
    ...condition('request_id = ?', request),
    ...condition('session = ?', session),
  ])
  return db
    .prepare<SqlValue[], Omit<ListedEffect, 'changes' | 'shadow'> & { changes: string; shadow: number }>(
      `SELECT ${EFFECT} FROM rule_effects ${where} ORDER BY created_at DESC, request_id LIMIT ?`,
    )
    .all(...values, limit)
    .map((row) => ({ ...row, shadow: row.shadow === 1, changes: JSON.parse(row.changes) }))
}

export interface EffectSums {
  ruleId: string
  shadow: boolean
  requests: number
  asked: number
  savedNano: number
  rewriteNano: number
  unpriced: number
}

/** Of the requests that a rule changed, refused or asked about. */
function sumRuleEffects(db: Db, from: number): EffectSums[] {
  return db
    .prepare<[number], Omit<EffectSums, 'shadow'> & { shadow: number }>(`
      SELECT rule_id AS ruleId, is_shadow AS shadow, sum(changes <> '[]') AS requests,
        ifnull(sum(answer IN ('allowed', 'denied', 'none')), 0) AS asked, ifnull(sum(saved_nano), 0) AS savedNano,
        ifnull(sum(rewrite_nano), 0) AS rewriteNano, sum(changes <> '[]' AND saved_nano IS NULL) AS unpriced
      FROM rule_effects WHERE created_at >= ? AND unable IS NULL AND (changes <> '[]' OR answer IS NOT NULL)
      GROUP BY rule_id, is_shadow`)
    .all(from)
    .map((row) => ({ ...row, shadow: row.shadow === 1 }))
}

const DAY_MS = 86_400_000
/** How long the start of a session, and an answer about it, matter. */
const RUN_MS = 90 * DAY_MS
const oldest = statement<[], { at: number | null }>('SELECT min(created_at) AS at FROM requests')

/** Facts and effects are kept as long as the rows of the log. */
function sweep(db: Db, now: number): void {
  const from = oldest(db).get()?.at ?? now
  db.prepare('DELETE FROM rule_facts WHERE created_at < ?').run(from)
  db.prepare('DELETE FROM rule_effects WHERE created_at < ?').run(from)
  db.prepare('DELETE FROM rule_runs WHERE started_at < ?').run(now - RUN_MS)
  db.prepare('DELETE FROM rule_answers WHERE answered_at < ?').run(now - RUN_MS)
}

/** The first versions had them among the tables of the core. */
const TABLES = `
CREATE TABLE IF NOT EXISTS rules (
  id TEXT PRIMARY KEY,
  -- Their order; the first one that holds acts.
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  -- JSON: name, conditions, actions, start and mode.
  rule TEXT NOT NULL
) STRICT;

-- What was so when a session or sub-agent began.
CREATE TABLE IF NOT EXISTS rule_runs (
  session TEXT NOT NULL,
  -- '' for the main agent.
  agent TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  facts TEXT NOT NULL,
  PRIMARY KEY (session, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS rule_runs_by_time ON rule_runs (started_at);

-- What the conditions of rules are about, of each request while there are rules.
CREATE TABLE IF NOT EXISTS rule_facts (
  request_id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  facts TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS rule_facts_by_time ON rule_facts (created_at);

CREATE TABLE IF NOT EXISTS rule_effects (
  request_id TEXT NOT NULL,
  is_shadow INTEGER NOT NULL CHECK (is_shadow IN (0, 1)),
  rule_id TEXT NOT NULL,
  -- As it was named then.
  rule_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  session TEXT NOT NULL,
  asked_model TEXT NOT NULL,
  -- JSON.
  changes TEXT NOT NULL,
  unable TEXT,
  -- NULL without a known price.
  saved_nano INTEGER,
  rewrite_nano INTEGER,
  PRIMARY KEY (request_id, is_shadow)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS rule_effects_by_rule ON rule_effects (rule_id, created_at);
CREATE INDEX IF NOT EXISTS rule_effects_by_session ON rule_effects (session, created_at);
CREATE INDEX IF NOT EXISTS rule_effects_by_time ON rule_effects (created_at);
`

const ANSWERS = `
ALTER TABLE rule_effects ADD COLUMN answer TEXT;

-- What the owner answered about a session or sub-agent.
CREATE TABLE rule_answers (
  session TEXT NOT NULL,
  -- '' for the main agent.
  agent TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  -- A change of the rule asks again.
  rule_changed_at INTEGER NOT NULL,
  answered_at INTEGER NOT NULL,
  is_allowed INTEGER NOT NULL CHECK (is_allowed IN (0, 1)),
  PRIMARY KEY (session, agent, rule_id)
) STRICT, WITHOUT ROWID;
`

export const ruleRows = {
  name: 'rules',
  migrations: [TABLES, ANSWERS],
  writes: { readRules, putRules, putRuleRun, putRuleAnswer, putRuled },
  reads: { readRuleRun, readRuleAnswer, listRuleEffects, sumRuleEffects, ...pastReads },
  sweep,
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Writes extends Readonly<typeof ruleRows.writes> {}
  interface Reads extends Readonly<typeof ruleRows.reads> {}
}
