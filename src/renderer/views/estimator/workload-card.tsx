import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Card, CardHeader } from '../../components/page.tsx'
import { Slider } from '../../components/slider.tsx'
import { formatCount, formatUsd } from '../../format.ts'
import { queries } from '../../server-state/queries.ts'
import { emptyUsage } from '../../server-state/usage.ts'
import { MAX_POSITION, positionToTokens, tokensToPosition } from './log-scale.ts'

interface WorkloadCardProps {
  input: number
  output: number
  onChange: (part: { input?: number; output?: number }) => void
}

export function WorkloadCard({ input, output, onChange }: WorkloadCardProps) {
  const { data: { total } = emptyUsage } = useQuery(queries.usage)
  const used = total.tokensIn + total.tokensOut > 0
  return (
    <Card className="pb-4">
      <CardHeader title="Tokens a month">
        <Button
          small
          icon={History}
          disabled={!used}
          onClick={() => onChange({ input: total.tokensIn, output: total.tokensOut })}
        >
          Use my last 30 days
        </Button>
      </CardHeader>
      <div className="flex flex-col gap-4 px-4 pt-1">
        <Tokens label="Input tokens" value={input} onChange={(next) => onChange({ input: next })} />
        <Tokens label="Output tokens" value={output} onChange={(next) => onChange({ output: next })} />
        <p className="text-ink-3 text-sm">
          {used
            ? `In the last 30 days: ${formatCount(total.tokensIn)} in, ${formatCount(total.tokensOut)} out, for ${formatUsd(total.costUsd)}.`
            : 'No tokens were used in the last 30 days.'}
        </p>
      </div>
    </Card>
  )
}

interface TokensProps {
  label: string
  value: number
  onChange: (value: number) => void
}

const MAX_TOKENS = 1e15

function Tokens({ label, value, onChange }: TokensProps) {
  const [text, setText] = useState(formatCount(value))
  useEffect(() => setText((now) => (parseTokens(now) === value ? now : formatCount(value))), [value])
  const wrong = parseTokens(text) === null
  return (
    <div className="grid grid-cols-[1fr_11rem] items-end gap-x-5">
      <div className="pb-1.5">
        <p className="mb-1 font-medium text-ink-2 text-sm">{label}</p>
        <Slider
          label={`${label}, slider`}
          valueText={`${formatCount(value)} tokens`}
          max={MAX_POSITION}
          value={tokensToPosition(value)}
          onChange={(position) => onChange(positionToTokens(position))}
        />
      </div>
      <TextField
        label={`${label}, exactly`}
        inputMode="numeric"
        value={text}
        error={wrong ? 'Enter a whole number.' : null}
        onChange={(next) => {
          setText(next)
          const count = parseTokens(next)
          if (count !== null) onChange(count)
        }}
      />
    </div>
  )
}

function parseTokens(text: string): number | null {
  const bare = text.replaceAll(/[,\s]/g, '')
  const count = /^\d+$/.test(bare) ? Number(bare) : Number.NaN
  return count <= MAX_TOKENS ? count : null
}
