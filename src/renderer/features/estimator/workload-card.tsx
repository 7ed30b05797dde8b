import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useEffect, useState } from 'react'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { SegmentedControl, Slider } from '../../kit/controls.tsx'
import { TextField } from '../../kit/field.tsx'
import { formatCount, formatUsd } from '../../kit/format.ts'
import { Card, CardHeader } from '../../kit/page.tsx'
import { Select } from '../../kit/select.tsx'
import { MAX_COUNT, RECENT_DAYS, type RecentUse, type Workload } from './workload.ts'

const STEPS_PER_DECADE = 20

const ALL_KEYS = ' all '

/** Where the numbers come from. */
type WorkloadSource = 'usage' | 'example' | 'entered'

interface WorkloadCardProps {
  workload: Workload
  source: WorkloadSource
  recent: RecentUse
  keyId: string | null
  onChange: (workload: Workload) => void
  /** Enters the same workload in the other way. */
  onSwitch: () => void
  /** Uses the usage again; of this key, or of all for null. */
  onUse: (keyId: string | null) => void
}

export function WorkloadCard({
  workload,
  source,
  recent,
  keyId,
  onChange,
  onSwitch,
  onUse,
}: WorkloadCardProps) {
  const { data: keys = [] } = useQuery(queries.keys)
  const change = (part: Partial<Workload>) => onChange({ ...workload, ...part })
  const perRequest = workload.requests !== null
  const tokens = perRequest ? quantities.tokensPerRequest : quantities.tokensPerMonth
  const unit = perRequest ? ' per request' : ' tokens'
  return (
    <Card className="pb-4">
      <CardHeader title="Workload">
        {keys.length > 1 ? (
          <Select
            small
            label="Usage of"
            value={keyId ?? ALL_KEYS}
            options={[
              { value: ALL_KEYS, label: 'All keys' },
              ...keys.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(id) => onUse(id === ALL_KEYS ? null : id)}
            className="max-w-48 text-ink"
          />
        ) : null}
        <Button
          small
          icon={History}
          disabled={source === 'usage' || recent.tokensIn + recent.tokensOut === 0}
          onClick={() => onUse(keyId)}
        >
          Use last 30 days
        </Button>
      </CardHeader>
      <div className="@container flex flex-col gap-4 px-4 pt-1">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <SegmentedControl
            label="Enter as"
            value={perRequest ? 'requests' : 'tokens'}
            options={[
              { value: 'tokens', label: 'Tokens per month' },
              { value: 'requests', label: 'Requests × tokens' },
            ]}
            onChange={(next) => {
              if ((next === 'requests') !== perRequest) onSwitch()
            }}
          />
          <p className="text-ink-2 text-sm">{describeSource(source, recent, keyId !== null)}</p>
        </div>
        <div
          className={cn(
            'grid @sm:grid-cols-2 gap-x-4 gap-y-3',
            perRequest ? '@2xl:grid-cols-5' : '@xl:grid-cols-4',
          )}
        >
          {workload.requests === null ? null : (
            <QuantityField
              label="Requests per month"
              quantity={quantities.requestsPerMonth}
              value={workload.requests}
              onChange={(requests) => change({ requests })}
            />
          )}
          <QuantityField
            key={`input${unit}`}
            label={`Input${unit}`}
            quantity={tokens}
            value={workload.input}
            onChange={(input) => change({ input })}
          />
          <QuantityField
            key={`output${unit}`}
            label={`Output${unit}`}
            quantity={tokens}
            value={workload.output}
            onChange={(output) => change({ output })}
          />
          <QuantityField
            label="Read from cache"
            quantity={quantities.percent}
            value={workload.cached}
            onChange={(cached) => change({ cached, written: Math.min(workload.written, 100 - cached) })}
          />
          <QuantityField
            label="Written to cache"
            quantity={quantities.percent}
            value={workload.written}
            onChange={(written) => change({ written, cached: Math.min(workload.cached, 100 - written) })}
          />
        </div>
      </div>
    </Card>
  )
}

function describeSource(source: WorkloadSource, recent: RecentUse, ofKey: boolean): string {
  const whose = ofKey ? ' of this key' : ''
  if (recent.tokensIn + recent.tokensOut === 0) {
    const none = `No tokens were used in the last ${RECENT_DAYS} days${whose ? ' with this key' : ''}.`
    return source === 'example' ? `An example. ${none}` : none
  }
  const lead =
    source === 'usage' ? `Your last ${RECENT_DAYS} days${whose}` : `The last ${RECENT_DAYS} days${whose}`
  const { requests, tokensIn, tokensOut, costUsd, unpriced } = recent
  const amounts = `${lead}: ${formatCount(requests)} requests, ${formatCount(tokensIn)} input and ${formatCount(tokensOut)} output tokens, for ${formatUsd(costUsd)}.`
  if (unpriced === 0) return amounts
  const without =
    unpriced === 1 ? '1 request without a price is' : `${formatCount(unpriced)} requests without a price are`
  return `${amounts} ${without} not in this amount.`
}

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

const quantities = {
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
function QuantityField({ label, quantity, value, onChange }: QuantityFieldProps) {
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

/** The positions of a slider whose value grows by a constant factor: 0 for zero, then from `least` up. */
interface LogScale {
  max: number
  /** The value at a position, rounded to two significant digits. */
  toValue: (position: number) => number
  /** The position nearest to a value. */
  toPosition: (value: number) => number
}

export function createLogScale(least: number, most: number): LogScale {
  const decades = Math.log10(most / least)
  const max = 1 + Math.round(decades * STEPS_PER_DECADE)
  return {
    max,
    toValue: (position) => {
      if (position <= 0) return 0
      const exact = least * 10 ** (((Math.min(position, max) - 1) / (max - 1)) * decades)
      return Number(exact.toPrecision(2))
    },
    toPosition: (value) => {
      if (value < least) return value <= 0 ? 0 : 1
      return Math.min(max, Math.round(1 + (Math.log10(value / least) / decades) * (max - 1)))
    },
  }
}
