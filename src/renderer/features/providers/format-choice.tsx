import { API_FORMATS, type ApiFormat } from '../../../shared/api/providers.ts'
import { Field } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'

interface Choice {
  label: string
  /** The path of its requests, after the base URL. */
  path: string
}

const choices: Readonly<Record<ApiFormat, Choice>> = {
  'openai-chat': { label: 'OpenAI chat completions', path: '/chat/completions' },
  'openai-responses': { label: 'OpenAI Responses', path: '/responses' },
  'anthropic-messages': { label: 'Anthropic Messages', path: '/messages' },
  'gemini-generate': { label: 'Gemini generateContent', path: '/models' },
}

const options = API_FORMATS.map((value) => ({
  value,
  label: choices[value].label,
  hint: choices[value].path,
}))

/** The text before the path of the format's requests. */
export function baseUrlHint(format: ApiFormat | null): string {
  return `Everything before ${choices[format ?? 'openai-chat'].path}.`
}

interface FormatChoiceProps {
  value: ApiFormat
  onChange: (format: ApiFormat) => void
}

/** The choice for servers that are not known ones. */
export function FormatChoice({ value, onChange }: FormatChoiceProps) {
  return (
    <Field label="API format" hint="Most servers have the format of OpenAI’s chat completions.">
      {({ id }) => <Select id={id} label="API format" options={options} value={value} onChange={onChange} />}
    </Field>
  )
}
