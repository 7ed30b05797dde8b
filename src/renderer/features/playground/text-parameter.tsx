import { Field, TextArea } from '../../kit/field.tsx'
import type { ParameterName, Parameters } from '../../parts/chats/parameters.ts'

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
export function TextParameter({
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
