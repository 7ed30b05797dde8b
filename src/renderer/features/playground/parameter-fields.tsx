import { Button } from '../../kit/button.tsx'
import { Field, TextField } from '../../kit/field.tsx'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { Select } from '../../kit/select.tsx'
import type { ParameterName, Parameters } from '../../parts/chats/parameters.ts'
import { EXAMPLE_TOOLS } from '../../parts/chats/parse-tools.ts'
import { RANGES } from '../../parts/chats/request-fields.ts'
import { SliderField } from './slider-field.tsx'
import { TextParameter } from './text-parameter.tsx'

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
      <TextParameter {...text} name="system" label="System prompt" rows={4} placeholder="None" />
      {SLIDERS.map(slider)}
      <TextField
        label="Max tokens"
        inputMode="numeric"
        placeholder="Default"
        value={parameters.maxTokens}
        onChange={(maxTokens) => onChange({ maxTokens })}
        error={errors.get('maxTokens')}
      />
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
      <div className="flex flex-col items-start gap-1">
        <span className="font-medium text-ink-2 text-sm">Response format</span>
        {hasJson ? (
          <SegmentedControl
            label="Response format"
            options={FORMATS}
            value={parameters.responseFormat}
            onChange={(responseFormat) => onChange({ responseFormat })}
          />
        ) : (
          <p className="text-ink-3 text-sm">Text. {unsupported.get('responseFormat')}</p>
        )}
      </div>
      {parameters.responseFormat === 'json_schema' ? (
        <TextParameter {...text} name="schema" label="JSON schema" rows={6} mono placeholder="{ … }" />
      ) : null}
      <TextField
        label="Seed"
        inputMode="numeric"
        placeholder="Default"
        value={parameters.seed}
        onChange={(seed) => onChange({ seed })}
        error={errors.get('seed')}
      />
      <TextParameter
        {...text}
        name="stop"
        label="Stop sequences"
        rows={2}
        mono
        placeholder="None"
        hint="One per line, four at most. \n is a line break."
      />
      {PENALTIES.map(slider)}
      <div className="flex flex-col gap-1">
        <TextParameter
          {...text}
          name="tools"
          label="Tools"
          rows={5}
          mono
          placeholder="None"
          hint={
            sandbox && parameters.tools.trim() !== ''
              ? 'You enter their results by hand. The sandbox calls a tool when the message contains [[sandbox:tool NAME]].'
              : 'A JSON array in the chat-completions format. You enter the results of calls by hand.'
          }
        />
        {parameters.tools.trim() === '' && !unsupported.has('tools') ? (
          <Button
            small
            variant="quiet"
            className="-ml-2 self-start"
            onClick={() => onChange({ tools: EXAMPLE_TOOLS })}
          >
            Insert an example
          </Button>
        ) : null}
      </div>
      <TextParameter
        {...text}
        name="extra"
        label="Other fields"
        rows={3}
        mono
        placeholder="None"
        hint="A JSON object of further request fields, such as top_k or service_tier."
      />
    </>
  )
}
