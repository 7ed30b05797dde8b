import { Slider as Base } from 'radix-ui'

interface SliderProps {
  label: string
  /** What the value means, for screen readers. */
  valueText: string
  max: number
  value: number
  onChange: (value: number) => void
}

export function Slider({ label, valueText, max, value, onChange }: SliderProps) {
  return (
    <Base.Root
      min={0}
      max={max}
      step={1}
      value={[value]}
      onValueChange={([next = 0]) => onChange(next)}
      className="relative flex h-5 w-full touch-none select-none items-center"
    >
      <Base.Track className="relative h-1 flex-1 rounded-full bg-line">
        <Base.Range className="absolute h-full rounded-full bg-accent" />
      </Base.Track>
      <Base.Thumb
        aria-label={label}
        aria-valuetext={valueText}
        className="block size-4 rounded-full border-2 border-accent bg-surface shadow-card"
      />
    </Base.Root>
  )
}
