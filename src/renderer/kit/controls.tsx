import { Slider as BaseSlider, Switch as BaseSwitch, RadioGroup } from 'radix-ui'

interface SegmentedControlProps<T extends string> {
  label: string
  options: readonly { value: T; label: string }[]
  value: T
  onChange: (value: T) => void
}

export function SegmentedControl<T extends string>({
  label,
  options,
  value,
  onChange,
}: SegmentedControlProps<T>) {
  return (
    <RadioGroup.Root
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={(next) => {
        const option = options.find((other) => other.value === next)
        if (option) onChange(option.value)
      }}
      className="inline-flex h-7 shrink-0 gap-px rounded-md bg-sunken p-0.5"
    >
      {options.map((option) => (
        <RadioGroup.Item
          key={option.value}
          value={option.value}
          className="rounded-[5px] px-2 font-medium text-ink-2 text-sm hover:text-ink data-[state=checked]:bg-surface data-[state=checked]:text-ink data-[state=checked]:shadow-card"
        >
          {option.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}

interface SwitchProps {
  label: string
  on: boolean
  onChange: (on: boolean) => void
  /** The id of the text that says what it does. */
  describedBy?: string
  disabled?: boolean
}

export function Switch({ label, on, onChange, describedBy, disabled = false }: SwitchProps) {
  return (
    <BaseSwitch.Root
      aria-label={label}
      aria-describedby={describedBy}
      checked={on}
      onCheckedChange={onChange}
      disabled={disabled}
      className="relative h-[18px] w-8 shrink-0 rounded-full bg-line-strong transition-colors duration-100 disabled:opacity-50 data-[state=checked]:bg-accent"
    >
      <BaseSwitch.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-white shadow transition-transform duration-100 data-[state=checked]:translate-x-4" />
    </BaseSwitch.Root>
  )
}

interface SliderProps {
  label: string
  /** The meaning of the value, for screen readers. */
  valueText: string
  max: number
  value: number
  onChange: (value: number) => void
}

export function Slider({ label, valueText, max, value, onChange }: SliderProps) {
  return (
    <BaseSlider.Root
      min={0}
      max={max}
      step={1}
      value={[value]}
      onValueChange={([next = 0]) => onChange(next)}
      className="relative flex h-5 w-full touch-none select-none items-center"
    >
      <BaseSlider.Track className="relative h-1 flex-1 rounded-full bg-line">
        <BaseSlider.Range className="absolute h-full rounded-full bg-accent" />
      </BaseSlider.Track>
      <BaseSlider.Thumb
        aria-label={label}
        aria-valuetext={valueText}
        className="block size-4 rounded-full border-2 border-accent bg-surface shadow-card"
      />
    </BaseSlider.Root>
  )
}
