import { admin, describeOperations, reading } from '../../../shared/api/operations/operation.ts'
import { RuledRequestList, RuledRequestQuery } from './effects.ts'
import { Rehearsal, RehearsalInput } from './rehearsal.ts'
import { DeletedRule, Rule, RuleChange, RuleInput, RuleList } from './rules.ts'
import { ruleRoutes } from './terms.ts'

export const ruleOperations = describeOperations(ruleRoutes, { tag: 'Rules', scopes: admin })({
  listRules: {
    summary: 'List the rules',
    scopes: reading,
    response: RuleList,
  },
  createRule: {
    summary: 'Add a rule',
    description: 'It comes after those that exist.',
    body: RuleInput,
    response: Rule,
    status: 201,
  },
  rehearse: {
    summary: 'Try a rule or a limit on past requests',
    description:
      'Own requests and those that were imported from the logs of agents. Changes nothing. While a rule is tried, limits count as they were really used.',
    reads: true,
    body: RehearsalInput,
    response: Rehearsal,
  },
  updateRule: {
    idDescription: 'The id of a rule (`rule_…`).',
    summary: 'Change a rule',
    description: 'A change is for sessions that begin after it. A rule that is turned off acts no more.',
    body: RuleChange,
    response: Rule,
  },
  deleteRule: {
    idDescription: 'The id of a rule (`rule_…`).',
    summary: 'Delete a rule',
    response: DeletedRule,
  },
  listRuledRequests: {
    summary: 'List what rules did to requests',
    scopes: reading,
    query: RuledRequestQuery,
    response: RuledRequestList,
  },
})
