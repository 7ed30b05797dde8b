import { admin, type Operation, reading } from '../../../shared/api/operations/operation.ts'
import { RuledRequestList, RuledRequestQuery } from './effects.ts'
import { RuleRehearsal, RuleRehearsalInput } from './rehearsal.ts'
import { DeletedRule, Rule, RuleChange, RuleInput, RuleList } from './rules.ts'
import { ruleRoutes } from './terms.ts'

export const ruleOperations = {
  listRules: {
    ...ruleRoutes.listRules,
    tag: 'Rules',
    summary: 'List the rules',
    scopes: reading,
    response: RuleList,
  },
  createRule: {
    ...ruleRoutes.createRule,
    tag: 'Rules',
    summary: 'Add a rule',
    description: 'It comes after those that exist.',
    scopes: admin,
    body: RuleInput,
    response: Rule,
    status: 201,
  },
  rehearseRule: {
    ...ruleRoutes.rehearseRule,
    tag: 'Rules',
    summary: 'Try a rule on past requests',
    description:
      'Own requests and those that were imported from the logs of agents. Limits count as they were really used.',
    scopes: admin,
    reads: true,
    body: RuleRehearsalInput,
    response: RuleRehearsal,
  },
  updateRule: {
    ...ruleRoutes.updateRule,
    tag: 'Rules',
    idDescription: 'The id of a rule (`rule_…`).',
    summary: 'Change a rule',
    description: 'A change is for sessions that begin after it. A rule that is turned off acts no more.',
    scopes: admin,
    body: RuleChange,
    response: Rule,
  },
  deleteRule: {
    ...ruleRoutes.deleteRule,
    tag: 'Rules',
    idDescription: 'The id of a rule (`rule_…`).',
    summary: 'Delete a rule',
    scopes: admin,
    response: DeletedRule,
  },
  listRuledRequests: {
    ...ruleRoutes.listRuledRequests,
    tag: 'Rules',
    summary: 'List what rules did to requests',
    scopes: reading,
    query: RuledRequestQuery,
    response: RuledRequestList,
  },
} as const satisfies Record<string, Operation>
