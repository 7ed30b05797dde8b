// The fields of conditions and actions: a row for each kind, as the API has them.
import { type ReactNode, useState } from 'react'
import { useEnabledModels } from '../../../renderer/data/hooks.ts'
import { cn } from '../../../renderer/kit/cn.ts'
import { Input } from '../../../renderer/kit/field.tsx'
import { ModelPicker } from '../../../renderer/kit/model-picker.tsx'
import { Select } from '../../../renderer/kit/select.tsx'
import { ModelPatternPicker } from '../../../renderer/parts/limits/model-pattern-picker.tsx'
import type { Action } from '../api/actions.ts'
import type { Condition } from '../api/conditions.ts'
import { CALLERS, EFFORTS, PREMIUM_NAMES, PREMIUMS, type Premium } from '../api/terms.ts'

interface FieldRow<Value> {
  label: string
  create(keyIds: readonly string[]): Value
  render(value: Value, onChange: (value: Value) => void, keys: readonly KeyName[]): ReactNode
}

export interface KeyName {
  id: string
  name: string
}

type OfKind<Union extends { kind: string }, K> = Extract<Union, { kind: K }>
type Fields<Union extends { kind: string }> = { [K in Union['kind']]: FieldRow<OfKind<Union, K>> }

const options = <T extends string>(values: readonly T[], names?: Readonly<Partial<Record<T, string>>>) =>
  values.map((value) => ({ value, label: names?.[value] ?? value }))

const CALLER_NAMES = { main: 'the main agent', subagent: 'a sub-agent', side: 'a side call' }
const OWNERS = { any: 'any limit', key: 'a limit of the key', account: 'a limit of the account' }

export const CONDITION_FIELDS: Fields<Condition> = {
  budget: {
    label: 'Limit used',
    create: () => ({ kind: 'budget', of: 'any', percent: 80 }),
    render: (value, onChange) => (
      <>
        <Select
          label="Whose limit"
          value={value.of}
          options={options(['any', 'key', 'account'] as const, OWNERS)}
          onChange={(of) => onChange({ ...value, of })}
        />
        <NumberInput
          label="Percent used"
          unit="%"
          value={value.percent}
          onChange={(percent) => onChange({ ...value, percent })}
        />
      </>
    ),
  },
  plan: {
    label: 'Plan window used',
    create: () => ({ kind: 'plan', percent: 80 }),
    render: (value, onChange) => (
      <NumberInput
        label="Percent used"
        unit="%"
        value={value.percent}
        onChange={(percent) => onChange({ ...value, percent })}
      />
    ),
  },
  model: {
    label: 'Model',
    create: () => ({ kind: 'model', models: [] }),
    render: (value, onChange) => (
      <ModelPatternPicker
        label="Models"
        chosen={value.models}
        onChange={(models) => onChange({ ...value, models })}
        className="min-w-48 flex-1"
      />
    ),
  },
  tool: {
    label: 'Program',
    create: () => ({ kind: 'tool', tools: [] }),
    render: (value, onChange) => (
      <ListInput
        label="Programs"
        placeholder="Claude Code, Codex"
        value={value.tools}
        onChange={(tools) => onChange({ ...value, tools })}
      />
    ),
  },
  caller: {
    label: 'Sent by',
    create: () => ({ kind: 'caller', is: 'subagent' }),
    render: (value, onChange) => (
      <Select
        label="Sent by"
        value={value.is}
        options={options(CALLERS, CALLER_NAMES)}
        onChange={(is) => onChange({ ...value, is })}
      />
    ),
  },
  tag: {
    label: 'Project',
    create: () => ({ kind: 'tag', tags: [] }),
    render: (value, onChange) => (
      <ListInput
        label="Projects"
        placeholder="shop, blog"
        value={value.tags}
        onChange={(tags) => onChange({ ...value, tags })}
      />
    ),
  },
  key: {
    label: 'Key',
    create: ([first]) => ({ kind: 'key', keys: first === undefined ? [] : [first] }),
    render: (value, onChange, keys) => (
      <Select
        label="Key"
        value={value.keys[0] ?? ''}
        options={keys.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => onChange({ ...value, keys: [id] })}
      />
    ),
  },
  prompt: {
    label: 'Size of the prompt',
    create: () => ({ kind: 'prompt', atLeast: 100_000 }),
    render: (value, onChange) => (
      <>
        <NumberInput
          label="At least, in tokens"
          unit="to"
          value={value.atLeast}
          onChange={(atLeast) => onChange({ ...value, atLeast })}
        />
        <NumberInput
          label="At most, in tokens"
          unit="tokens"
          value={value.atMost}
          onChange={(atMost) => onChange({ ...value, atMost })}
        />
      </>
    ),
  },
  effort: {
    label: 'Effort of at least',
    create: () => ({ kind: 'effort', atLeast: 'high' }),
    render: (value, onChange) => (
      <Select
        label="Effort"
        value={value.atLeast}
        options={options(EFFORTS)}
        onChange={(atLeast) => onChange({ ...value, atLeast })}
      />
    ),
  },
  premium: {
    label: 'Asks for',
    create: () => ({ kind: 'premium', any: ['tier', 'speed'] }),
    render: (value, onChange) => (
      <PremiumToggles chosen={value.any} onChange={(any) => onChange({ ...value, any })} />
    ),
  },
  time: {
    label: 'Time of day',
    create: () => ({ kind: 'time', from: '22:00', to: '06:00' }),
    render: (value, onChange) => (
      <>
        <TimeInput label="From" value={value.from} onChange={(from) => onChange({ ...value, from })} />
        <span className="text-ink-3">to</span>
        <TimeInput label="To" value={value.to} onChange={(to) => onChange({ ...value, to })} />
      </>
    ),
  },
}

export const ACTION_FIELDS: Fields<Action> = {
  model: {
    label: 'Use another model',
    create: () => ({ kind: 'model', model: '' }),
    render: (value, onChange) => (
      <ModelField value={value.model} onChange={(model) => onChange({ ...value, model })} />
    ),
  },
  effort: {
    label: 'Effort of at most',
    create: () => ({ kind: 'effort', atMost: 'medium' }),
    render: (value, onChange) => (
      <Select
        label="Effort"
        value={value.atMost}
        options={options(EFFORTS)}
        onChange={(atMost) => onChange({ ...value, atMost })}
      />
    ),
  },
  thinking: {
    label: 'Thinking of at most',
    create: () => ({ kind: 'thinking', atMost: 8_000 }),
    render: (value, onChange) => (
      <NumberInput
        label="Budget for thinking"
        unit="tokens"
        value={value.atMost}
        onChange={(atMost = 0) => onChange({ ...value, atMost })}
      />
    ),
  },
  remove: {
    label: 'Remove',
    create: () => ({ kind: 'remove', what: ['tier', 'speed'] }),
    render: (value, onChange) => (
      <PremiumToggles chosen={value.what} onChange={(what) => onChange({ ...value, what })} />
    ),
  },
  ask: { label: 'Ask me first', create: () => ({ kind: 'ask' }), render: () => null },
  deny: { label: 'Refuse the request', create: () => ({ kind: 'deny' }), render: () => null },
}

function ModelField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const models = useEnabledModels()
  return (
    <ModelPicker
      models={models}
      value={value}
      onChange={onChange}
      label="Other model"
      className="min-w-48 flex-1"
    />
  )
}

interface NumberInputProps {
  label: string
  unit: string
  value: number | undefined
  /** Called with 0 for what is no number, which the gateway refuses. */
  onChange: (value: number) => void
}

function NumberInput({ label, unit, value, onChange }: NumberInputProps) {
  return (
    <span className="flex items-center gap-1.5">
      <span className="w-24">
        <Input
          aria-label={label}
          inputMode="numeric"
          value={value === undefined ? '' : String(value)}
          onChange={({ target }) => onChange(Number.parseInt(target.value, 10) || 0)}
          className="text-right"
        />
      </span>
      <span className="text-ink-3">{unit}</span>
    </span>
  )
}

interface TimeInputProps {
  label: string
  value: string
  onChange: (value: string) => void
}

function TimeInput({ label, value, onChange }: TimeInputProps) {
  return (
    <span className="w-28">
      <Input type="time" aria-label={label} value={value} onChange={({ target }) => onChange(target.value)} />
    </span>
  )
}

interface ListInputProps {
  label: string
  placeholder: string
  value: readonly string[]
  onChange: (value: string[]) => void
}

/** Names that are typed with commas between them. */
function ListInput({ label, placeholder, value, onChange }: ListInputProps) {
  const [text, setText] = useState(value.join(', '))
  return (
    <Input
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        onChange(
          target.value
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== ''),
        )
      }}
      className="min-w-40 flex-1"
    />
  )
}

function PremiumToggles({
  chosen,
  onChange,
}: {
  chosen: readonly Premium[]
  onChange: (chosen: Premium[]) => void
}) {
  return (
    <span className="flex flex-wrap gap-1">
      {PREMIUMS.map((premium) => {
        const isOn = chosen.includes(premium)
        return (
          <button
            key={premium}
            type="button"
            aria-pressed={isOn}
            onClick={() =>
              onChange(isOn ? chosen.filter((other) => other !== premium) : [...chosen, premium])
            }
            className={cn(
              'h-7 rounded-md border px-2 text-sm',
              isOn
                ? 'border-accent bg-accent-soft text-accent-ink'
                : 'border-line-strong text-ink-2 hover:bg-sunken',
            )}
          >
            {PREMIUM_NAMES[premium].replace(/^an? /, '')}
          </button>
        )
      })}
    </span>
  )
}
