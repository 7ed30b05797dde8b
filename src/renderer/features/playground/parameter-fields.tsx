import { useId } from 'react'
import { t } from 'ttag'
import { Button } from '../../kit/button.tsx'
import { Field, Input, TextArea, TextField } from '../../kit/field.tsx'
import { jt } from '../../kit/rich-text.ts'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { Select } from '../../kit/select.tsx'
import { Slider } from '../../kit/slider.tsx'
import type { ParameterName, Parameters } from '../../parts/chats/parameters.ts'
import { EXAMPLE_TOOLS, RANGES } from '../../parts/chats/request-fields.ts'

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
const FORMATS = [
  { value: 'text', label: t`Text` },
  { value: 'json_object', label: 'JSON' },
  { value: 'json_schema', label: t`JSON schema` },
] as const
const SLIDERS = [
  { name: 'temperature', label: t`Temperature`, step: 0.1, rest: 1 },
  { name: 'topP', label: t`Top P`, step: 0.05, rest: 1 },
] as const
const PENALTIES = [
  { name: 'presencePenalty', label: t`Presence penalty`, step: 0.1, rest: 0 },
  { name: 'frequencyPenalty', label: t`Frequency penalty`, step: 0.1, rest: 0 },
] as const

interface ParameterFieldsProps {
  parameters: Parameters
  errors: ReadonlyMap<ParameterName, string>
  /** Why a parameter has no effect. One that is set can still be changed. */
  unsupported: ReadonlyMap<ParameterName, string>
  sandbox: boolean
  onChange: (part: Partial<Parameters>) => void
}

export function ParameterFields({
  parameters,
  errors,
  unsupported,
  sandbox,
  onChange,
}: ParameterFieldsProps) {
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
  const text = { parameters, errors, unsupported, onChange }
  const hasJson = !unsupported.has('responseFormat') || parameters.responseFormat !== 'text'
  const effort = parameters.reasoningEffort.trim()
  const efforts = ['', ...new Set([...EFFORTS, ...(effort ? [effort] : [])])]
  return (
    <>
      <TextParameter {...text} name="system" label={t`System prompt`} rows={4} placeholder={t`None`} />
      {SLIDERS.map(slider)}
      <TextField
        label={t`Max tokens`}
        inputMode="numeric"
        placeholder={t`Default`}
        value={parameters.maxTokens}
        onChange={(maxTokens) => onChange({ maxTokens })}
        error={errors.get('maxTokens')}
      />
      <Field label={t`Reasoning effort`} hint={unsupported.get('reasoningEffort')}>
        {({ id }) => (
          <Select
            id={id}
            label={t`Reasoning effort`}
            options={efforts.map((value) => ({ value, label: value || t`Default` }))}
            value={effort}
            onChange={(reasoningEffort) => onChange({ reasoningEffort })}
            disabled={unsupported.has('reasoningEffort') && effort === ''}
          />
        )}
      </Field>
      <div className="flex flex-col items-start gap-1">
        <span className="font-medium text-ink-2 text-sm">{t`Response format`}</span>
        {hasJson ? (
          <SegmentedControl
            label={t`Response format`}
            options={FORMATS}
            value={parameters.responseFormat}
            onChange={(responseFormat) => onChange({ responseFormat })}
          />
        ) : (
          <p className="text-ink-3 text-sm">{jt`Text. ${unsupported.get('responseFormat')}`}</p>
        )}
      </div>
      {parameters.responseFormat === 'json_schema' ? (
        <TextParameter {...text} name="schema" label={t`JSON schema`} rows={6} mono placeholder="{ … }" />
      ) : null}
      <TextField
        label={t`Seed`}
        inputMode="numeric"
        placeholder={t`Default`}
        value={parameters.seed}
        onChange={(seed) => onChange({ seed })}
        error={errors.get('seed')}
      />
      <TextParameter
        {...text}
        name="stop"
        label={t`Stop sequences`}
        rows={2}
        mono
        placeholder={t`None`}
        hint={t`One per line, four at most. \\n is a line break.`}
      />
      {PENALTIES.map(slider)}
      <div className="flex flex-col gap-1">
        <TextParameter
          {...text}
          name="tools"
          label={t`Tools`}
          rows={5}
          mono
          placeholder={t`None`}
          hint={
            sandbox && parameters.tools.trim() !== ''
              ? t`You enter their results by hand. The sandbox calls a tool when the message contains [[sandbox:tool NAME]].`
              : t`A JSON array in the chat-completions format. You enter the results of calls by hand.`
          }
        />
        {parameters.tools.trim() === '' && !unsupported.has('tools') ? (
          <Button
            small
            variant="quiet"
            className="-ml-2 self-start"
            onClick={() => onChange({ tools: EXAMPLE_TOOLS })}
          >{t`Insert an example`}</Button>
        ) : null}
      </div>
      <TextParameter
        {...text}
        name="extra"
        label={t`Other fields`}
        rows={3}
        mono
        placeholder={t`None`}
        hint={t`A JSON object of further request fields, such as top_k or service_tier.`}
      />
    </>
  )
}

interface TextParameterProps {
  name: Exclude<ParameterName, 'responseFormat'>
  label: string
  rows: number
  placeholder: string
  hint?: string
  /** Code, not prose. */
  mono?: boolean
  parameters: Parameters
  errors: ReadonlyMap<ParameterName, string>
  unsupported: ReadonlyMap<ParameterName, string>
  onChange: (part: Partial<Parameters>) => void
}

/** A parameter of several lines. */
function TextParameter({
  name,
  label,
  rows,
  placeholder,
  hint,
  mono = false,
  parameters,
  errors,
  unsupported,
  onChange,
}: TextParameterProps) {
  return (
    <Field label={label} error={errors.get(name)} hint={unsupported.get(name) ?? hint}>
      {(attributes) => (
        <TextArea
          {...attributes}
          rows={rows}
          spellCheck={!mono}
          value={parameters[name]}
          placeholder={placeholder}
          disabled={unsupported.has(name) && parameters[name] === ''}
          onChange={(event) => onChange({ [name]: event.target.value })}
          className={mono ? 'shrink-0 font-mono text-sm' : 'shrink-0'}
        />
      )}
    </Field>
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
            placeholder={t`Default`}
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
        valueText={unset ? t`Default` : value}
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
