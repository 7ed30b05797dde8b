import { useId } from 'react'
import { Input } from '../../kit/field.tsx'
import { Slider } from '../../kit/slider.tsx'

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
export function SliderField({
  label,
  range,
  rest,
  value,
  onChange,
  hint,
  error,
  disabled,
}: SliderFieldProps) {
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
