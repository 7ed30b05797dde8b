// Owns a slider. Knows nothing of what its places stand for.
import { Slider as Base } from 'radix-ui'

interface SliderProps {
  label: string
  /** What the place means, read aloud. */
  words: string
  most: number
  value: number
  onChange: (value: number) => void
}

export function Slider({ label, words, most, value, onChange }: SliderProps) {
  return (
    <Base.Root
      min={0}
      max={most}
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
        aria-valuetext={words}
        className="block size-4 rounded-full border-2 border-accent bg-surface shadow-card"
      />
    </Base.Root>
  )
}
