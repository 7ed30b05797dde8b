import { Slider as Base } from 'radix-ui'
import { cn } from './cn.ts'

interface SliderProps {
  label: string
  /** The meaning of the value, for screen readers. */
  valueText: string
  max: number
  value: number
  onChange: (value: number) => void
  disabled?: boolean
  /** The value is only where the thumb waits; none is set. */
  unset?: boolean
}

export function Slider({
  label,
  valueText,
  max,
  value,
  onChange,
  disabled = false,
  unset = false,
}: SliderProps) {
  return (
    <Base.Root
      min={0}
      max={max}
      step={1}
      disabled={disabled}
      value={[value]}
      onValueChange={([next = 0]) => onChange(next)}
      className="relative flex h-5 w-full touch-none select-none items-center"
    >
      <Base.Track className="relative h-1 flex-1 rounded-full bg-line">
        <Base.Range className={cn('absolute h-full rounded-full', unset ? 'bg-line-strong' : 'bg-accent')} />
      </Base.Track>
      <Base.Thumb
        aria-label={label}
        aria-valuetext={valueText}
        className={cn(
          'block size-4 rounded-full border-2 bg-surface shadow-card data-disabled:opacity-50',
          unset ? 'border-line-strong' : 'border-accent',
        )}
      />
    </Base.Root>
  )
}
