import { TextField } from '../../kit/field.tsx'
import { FixOffer } from './fix-offer.tsx'
import { fixBaseUrl } from './input-mistakes.ts'
import { useTyping } from './use-typing.ts'

interface BaseUrlFieldProps {
  value: string
  error: string | undefined
  hint: string
  onChange: (value: string) => void
}

export function BaseUrlField({ value, error, hint, onChange }: BaseUrlFieldProps) {
  const { typing, startTyping, fieldProps } = useTyping()
  const meant = typing ? null : fixBaseUrl(value)
  return (
    <div className="flex flex-col gap-1.5">
      <TextField
        label="Base URL"
        mono
        value={value}
        error={error}
        hint={hint}
        onChange={(text) => {
          startTyping()
          onChange(text)
        }}
        {...fieldProps}
        placeholder="http://127.0.0.1:8080/v1"
      />
      {meant === null ? null : (
        <FixOffer action={`Use ${meant}`} onFix={() => onChange(meant)}>
          This does not look like a base URL.
        </FixOffer>
      )}
    </div>
  )
}
