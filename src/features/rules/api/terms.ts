// The window loads these first: no schema.

export const ruleRoutes = {
  listRules: { method: 'GET', path: '/v1/rules' },
  rehearse: { method: 'POST', path: '/v1/rehearse' },
  createRule: { method: 'POST', path: '/v1/rules' },
  updateRule: { method: 'PATCH', path: '/v1/rules/{id}' },
  deleteRule: { method: 'DELETE', path: '/v1/rules/{id}' },
  listRuledRequests: { method: 'GET', path: '/v1/rules/requests' },
} as const

/** Weakest first, as APIs of models name them. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

/** Extras that multiply the price of a request, or add to it. */
export const PREMIUMS = ['tier', 'speed', 'window', 'cache', 'tools'] as const
export type Premium = (typeof PREMIUMS)[number]

export const PREMIUM_NAMES: Readonly<Record<Premium, string>> = {
  tier: 'a premium tier',
  speed: 'fast speed',
  window: 'a long context window',
  cache: 'one-hour cache writes',
  tools: 'tools priced per call',
}

export const CALLERS = ['main', 'subagent', 'side'] as const
export type CallerKind = (typeof CALLERS)[number]

/** The outcomes of a question: about the request itself, or about an earlier one of its session or sub-agent. */
export const RULE_ANSWERS = ['allowed', 'denied', 'none', 'allowed-earlier', 'denied-earlier'] as const
export type RuleAnswer = (typeof RULE_ANSWERS)[number]

export const RULE_MODES = ['off', 'shadow', 'on'] as const
export const RULE_STARTS = ['start', 'any'] as const
