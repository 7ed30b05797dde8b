import { Switch as Base } from 'radix-ui'

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
    <Base.Root
      aria-label={label}
      aria-describedby={describedBy}
      checked={on}
      onCheckedChange={onChange}
      disabled={disabled}
      className="relative h-[18px] w-8 shrink-0 rounded-full bg-line-strong transition-colors duration-100 disabled:opacity-50 data-[state=checked]:bg-accent"
    >
      <Base.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-white shadow transition-transform duration-100 data-[state=checked]:translate-x-4" />
    </Base.Root>
  )
}
