import type { RuleInput } from './rules.ts'

export interface Preset {
  id: string
  name: string
  /** Says what it is good for. */
  text: string
  /** Whether it needs another model. */
  needsModel: boolean
  /** The rule, which is off. `model`: the other model. */
  create(model: string): RuleInput
}

const common = { at: 'start', mode: 'off' } as const

/** Rules that many want. */
export const PRESETS: readonly Preset[] = [
  {
    id: 'guard-premium',
    name: 'Guard premium tiers',
    text: 'Tiers, fast speed and long windows multiply the price of every token. Clients can turn them on by themselves.',
    needsModel: false,
    create: () => ({
      ...common,
      name: 'Guard premium tiers',
      when: [{ kind: 'premium', any: ['tier', 'speed', 'window'] }],
      do: [{ kind: 'remove', what: ['tier', 'speed', 'window'] }],
    }),
  },
  {
    id: 'step-down',
    name: 'Step down near the limit',
    text: 'When most of a limit is used, sub-agents go on with a cheaper model instead of stopping later.',
    needsModel: true,
    create: (model) => ({
      ...common,
      name: 'Step down near the limit',
      when: [
        { kind: 'budget', of: 'any', percent: 80 },
        { kind: 'caller', is: 'subagent' },
      ],
      do: [{ kind: 'model', model }],
    }),
  },
  {
    id: 'side-calls',
    name: 'Small model for side calls',
    text: 'Titles, summaries and the like need no large model.',
    needsModel: true,
    create: (model) => ({
      ...common,
      name: 'Small model for side calls',
      when: [{ kind: 'caller', is: 'side' }],
      do: [{ kind: 'model', model }],
    }),
  },
]
