import { useId } from 'react'
import type { Capability, ModelRecord } from '../../../shared/api/models.ts'
import { Button } from '../../kit/button.tsx'
import { SegmentedControl, Slider } from '../../kit/controls.tsx'
import { Field, Input, TextArea, TextField } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'
import type { Chat, ChatSettings } from '../../parts/chats/chat-storage.ts'
import {
  DEFAULT_PARAMETERS,
  EXAMPLE_TOOLS,
  type ParameterName,
  type Parameters,
  pickParameters,
  RANGES,
  readParameters,
} from '../../parts/chats/request-fields.ts'

interface ParameterPanelProps {
  chat: Chat
  /** The models of the columns. */
  chosen: readonly string[]
  models: readonly ModelRecord[]
  onChange: (part: Partial<ChatSettings>) => void
}

/** The parameters of a chat, which all its models get. */
export function ParameterPanel({ chat, chosen, models, onChange }: ParameterPanelProps) {
  const records = chosen.flatMap((id) => models.find((model) => model.id === id) ?? [])
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-4 pb-5 -outline-offset-2">
      <ParameterFields
        parameters={chat}
        errors={readParameters(chat).errors}
        unsupported={findUnsupported(records.length === chosen.length ? records : [])}
        sandbox={chosen.some((id) => id.startsWith('sandbox'))}
        onChange={onChange}
      />
      <Button
        small
        variant="quiet"
        className="-ml-2 self-start"
        disabled={JSON.stringify(pickParameters(chat)) === JSON.stringify(DEFAULT_PARAMETERS)}
        onClick={() => onChange(DEFAULT_PARAMETERS)}
      >
        Reset all
      </Button>
    </div>
  )
}

const NEEDED: readonly { capability: Capability; names: readonly ParameterName[]; text: string }[] = [
  { capability: 'reasoning', names: ['reasoningEffort'], text: 'does not reason' },
  { capability: 'json', names: ['responseFormat'], text: 'has no JSON output' },
  { capability: 'tools', names: ['tools'], text: 'does not call tools' },
]

/**
 * Why parameters have no effect on any of the models, where that is known. The capabilities of a model without a known
 * context window are guesses.
 */
function findUnsupported(
  models: readonly Pick<ModelRecord, 'id' | 'capabilities' | 'contextWindow'>[],
): ReadonlyMap<ParameterName, string> {
  const lacks = (capability: Capability) =>
    models.length > 0 &&
    models.every((model) => model.contextWindow !== null && !model.capabilities.includes(capability))
  const who = models.map(({ id }) => id).join(' and ')
  return new Map(
    NEEDED.filter(({ capability }) => lacks(capability)).flatMap(({ names, text }) =>
      names.map((name) => [name, `${who} ${text}.`.replace(/ and (.*) does not/, ' and $1 do not')] as const),
    ),
  )
}

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
const FORMATS = [
  { value: 'text', label: 'Text' },
  { value: 'json_object', label: 'JSON' },
  { value: 'json_schema', label: 'JSON schema' },
] as const
const SLIDERS = [
  { name: 'temperature', label: 'Temperature', step: 0.1, rest: 1 },
  { name: 'topP', label: 'Top P', step: 0.05, rest: 1 },
] as const
const PENALTIES = [
  { name: 'presencePenalty', label: 'Presence penalty', step: 0.1, rest: 0 },
  { name: 'frequencyPenalty', label: 'Frequency penalty', step: 0.1, rest: 0 },
] as const

const NUMBERS = { maxTokens: 'Max tokens', seed: 'Seed' } as const

interface Area {
  label: string
  rows: number
  placeholder?: string
  hint?: string
  /** Prose, not code. */
  prose?: boolean
}

/** The parameters of several lines. */
const AREAS = {
  system: { label: 'System prompt', rows: 4, prose: true },
  schema: { label: 'JSON schema', rows: 6, placeholder: '{ … }' },
  stop: { label: 'Stop sequences', rows: 2, hint: `One per line, four at most. \\n is a line break.` },
  tools: {
    label: 'Tools',
    rows: 5,
    hint: 'A JSON array in the chat-completions format. You enter the results of calls by hand.',
  },
  extra: {
    label: 'Other fields',
    rows: 3,
    hint: 'A JSON object of further request fields, such as top_k or service_tier.',
  },
} as const satisfies Partial<Record<ParameterName, Area>>

const SANDBOX_TOOLS =
  'You enter their results by hand. The sandbox calls a tool when the message contains [[sandbox:tool NAME]].'

interface ParameterFieldsProps {
  parameters: Parameters
  errors: ReadonlyMap<ParameterName, string>
  /** Why a parameter has no effect. One that is set can still be changed. */
  unsupported: ReadonlyMap<ParameterName, string>
  sandbox: boolean
  onChange: (part: Partial<Parameters>) => void
}

function ParameterFields(props: ParameterFieldsProps) {
  const { parameters, errors, unsupported, sandbox, onChange } = props
  const slider = ({ name, label, step, rest }: (typeof SLIDERS | typeof PENALTIES)[number]) => (
    <SliderField
      key={name}
      label={label}
      range={{ ...RANGES[name], step }}
      rest={rest}
      value={parameters[name]}
      onChange={(value) => onChange({ [name]: value })}
      hint={unsupported.get(name)}
      error={errors.get(name)}
      disabled={unsupported.has(name) && parameters[name] === ''}
    />
  )
  const number = (name: keyof typeof NUMBERS) => (
    <TextField
      label={NUMBERS[name]}
      inputMode="numeric"
      placeholder="Default"
      value={parameters[name]}
      onChange={(value) => onChange({ [name]: value })}
      error={errors.get(name)}
    />
  )
  const area = (name: keyof typeof AREAS, note?: string) => {
    const { label, rows, placeholder = 'None', hint, prose = false }: Area = AREAS[name]
    return (
      <Field label={label} error={errors.get(name)} hint={unsupported.get(name) ?? note ?? hint}>
        {(attributes) => (
          <TextArea
            {...attributes}
            rows={rows}
            spellCheck={prose}
            value={parameters[name]}
            placeholder={placeholder}
            disabled={unsupported.has(name) && parameters[name] === ''}
            onChange={({ target }) => onChange({ [name]: target.value })}
            className={prose ? 'shrink-0' : 'shrink-0 font-mono text-sm'}
          />
        )}
      </Field>
    )
  }
  const hasTools = parameters.tools.trim() !== ''
  return (
    <>
      {area('system')}
      {SLIDERS.map(slider)}
      {number('maxTokens')}
      <Effort {...props} />
      <ResponseFormat {...props} />
      {parameters.responseFormat === 'json_schema' ? area('schema') : null}
      {number('seed')}
      {area('stop')}
      {PENALTIES.map(slider)}
      <div className="flex flex-col gap-1">
        {area('tools', sandbox && hasTools ? SANDBOX_TOOLS : undefined)}
        {hasTools || unsupported.has('tools') ? null : (
          <Button
            small
            variant="quiet"
            className="-ml-2 self-start"
            onClick={() => onChange({ tools: EXAMPLE_TOOLS })}
          >
            Insert an example
          </Button>
        )}
      </div>
      {area('extra')}
    </>
  )
}

function Effort({ parameters, unsupported, onChange }: ParameterFieldsProps) {
  const effort = parameters.reasoningEffort.trim()
  const efforts = ['', ...new Set([...EFFORTS, ...(effort ? [effort] : [])])]
  return (
    <Field label="Reasoning effort" hint={unsupported.get('reasoningEffort')}>
      {({ id }) => (
        <Select
          id={id}
          label="Reasoning effort"
          options={efforts.map((value) => ({ value, label: value || 'Default' }))}
          value={effort}
          onChange={(reasoningEffort) => onChange({ reasoningEffort })}
          disabled={unsupported.has('reasoningEffort') && effort === ''}
        />
      )}
    </Field>
  )
}

function ResponseFormat({ parameters: { responseFormat }, unsupported, onChange }: ParameterFieldsProps) {
  const problem = responseFormat === 'text' ? unsupported.get('responseFormat') : undefined
  return (
    <div className="flex flex-col items-start gap-1">
      <span className="font-medium text-ink-2 text-sm">Response format</span>
      {problem === undefined ? (
        <SegmentedControl
          label="Response format"
          options={FORMATS}
          value={responseFormat}
          onChange={(value) => onChange({ responseFormat: value })}
        />
      ) : (
        <p className="text-ink-3 text-sm">Text. {problem}</p>
      )}
    </div>
  )
}

interface SliderFieldProps {
  label: string
  range: { min: number; max: number; step: number }
  /** Where the thumb waits while nothing is set. */
  rest: number
  /** The typed value; blank for the model's default. */
  value: string
  onChange: (value: string) => void
  hint: string | undefined
  error: string | undefined
  disabled: boolean
}

/** A number as a slider and as a field; a blank field is the model's default. */
function SliderField({ label, range, rest, value, onChange, hint, error, disabled }: SliderFieldProps) {
  const id = useId()
  const { min, max, step } = range
  const unset = value.trim() === ''
  const number = unset || Number.isNaN(Number(value)) ? rest : Number(value)
  const note = error ?? hint
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center justify-between gap-2">
        <label htmlFor={id} className="font-medium text-ink-2 text-sm">
          {label}
        </label>
        <span className="w-20 shrink-0">
          <Input
            id={id}
            inputMode="decimal"
            placeholder="Default"
            value={value}
            disabled={disabled}
            aria-invalid={error !== undefined}
            aria-describedby={note ? `${id}-note` : undefined}
            onChange={(event) => onChange(event.target.value)}
            className="h-7 text-right text-sm tabular-nums"
          />
        </span>
      </div>
      <Slider
        label={label}
        valueText={unset ? 'Default' : value}
        max={Math.round((max - min) / step)}
        value={Math.round((Math.min(max, Math.max(min, number)) - min) / step)}
        unset={unset}
        disabled={disabled}
        // Steps are multiples of a decimal fraction, which binary numbers only approximate.
        onChange={(steps) => onChange(String(Number((min + steps * step).toFixed(2))))}
      />
      {note ? (
        <p id={`${id}-note`} className={error ? 'text-bad text-sm' : 'text-ink-3 text-sm'}>
          {note}
        </p>
      ) : null}
    </div>
  )
}
