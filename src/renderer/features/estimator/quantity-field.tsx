import { useEffect, useState } from 'react'
import { TextField } from '../../kit/field.tsx'
import { formatCount } from '../../kit/format.ts'
import { Slider } from '../../kit/slider.tsx'
import { createLogScale, type LogScale } from './log-scale.ts'
import { MAX_COUNT } from './workload.ts'

/** How a number is written and which of them a slider reaches. */
interface Quantity extends LogScale {
  write: (value: number) => string
  /** Null for a text that is not such a number. */
  parse: (text: string) => number | null
  wrong: string
}

function count(least: number, most: number): Quantity {
  return {
    ...createLogScale(least, most),
    write: (value) => formatCount(value),
    parse: (text) => {
      const bare = text.replaceAll(/[,\s]/g, '')
      const value = /^\d+$/.test(bare) ? Number(bare) : Number.NaN
      return value <= MAX_COUNT ? value : null
    },
    wrong: 'Enter a whole number.',
  }
}

export const quantities = {
  tokensPerMonth: count(1_000, 1e11),
  tokensPerRequest: count(10, 1e6),
  requestsPerMonth: count(10, 1e7),
  percent: {
    max: 100,
    toValue: (position) => position,
    toPosition: (value) => Math.round(value),
    write: (value) => `${value}%`,
    parse: (text) => {
      const bare = text.replace(/\s*%$/, '').trim()
      const value = /^\d+(\.\d+)?$/.test(bare) ? Number(bare) : Number.NaN
      return value <= 100 ? value : null
    },
    wrong: 'Enter a percentage from 0 to 100.',
  },
} as const satisfies Record<string, Quantity>

interface QuantityFieldProps {
  label: string
  quantity: Quantity
  value: number
  onChange: (value: number) => void
}

/** A number that is typed or dragged. */
export function QuantityField({ label, quantity, value, onChange }: QuantityFieldProps) {
  const { write, parse, wrong, max, toPosition, toValue } = quantity
  const [text, setText] = useState(write(value))
  // The typed text stays unchanged while it means the value.
  useEffect(() => setText((now) => (parse(now) === value ? now : write(value))), [value, parse, write])
  return (
    <div className="flex flex-col gap-1.5">
      <TextField
        label={label}
        inputMode="numeric"
        value={text}
        error={parse(text) === null ? wrong : null}
        onChange={(next) => {
          setText(next)
          const parsed = parse(next)
          if (parsed !== null) onChange(parsed)
        }}
        onBlur={() => setText(write(value))}
      />
      <Slider
        label={`${label}, slider`}
        valueText={write(value)}
        max={max}
        value={toPosition(value)}
        onChange={(position) => onChange(toValue(position))}
      />
    </div>
  )
}
