import { TextField } from '../../kit/field.tsx'
import { parseCount } from '../../kit/number-input.ts'

export interface LimitTexts {
  rpm: string
  tpm: string
}

export type ParsedLimits = { ok: true; rpmLimit: number | null; tpmLimit: number | null } | { ok: false }

export function parseLimits({ rpm, tpm }: LimitTexts): ParsedLimits {
  const rpmLimit = parseCount(rpm)
  const tpmLimit = parseCount(tpm)
  return rpmLimit.ok && tpmLimit.ok
    ? { ok: true, rpmLimit: rpmLimit.count, tpmLimit: tpmLimit.count }
    : { ok: false }
}

interface LimitFieldsProps {
  value: LimitTexts
  onChange: (value: LimitTexts) => void
}

/** A key's own rate limits. Empty fields leave it to the limits of all keys together. */
export function LimitFields({ value, onChange }: LimitFieldsProps) {
  const rpm = parseCount(value.rpm)
  const tpm = parseCount(value.tpm)
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField
        label="Requests per minute"
        value={value.rpm}
        onChange={(text) => onChange({ ...value, rpm: text })}
        inputMode="numeric"
        placeholder="Default"
        error={rpm.ok ? null : rpm.message}
      />
      <TextField
        label="Tokens per minute"
        value={value.tpm}
        onChange={(text) => onChange({ ...value, tpm: text })}
        inputMode="numeric"
        placeholder="Default"
        error={tpm.ok ? null : tpm.message}
      />
    </div>
  )
}
