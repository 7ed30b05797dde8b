import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { Switch } from '../../kit/switch.tsx'

interface LaneChoiceProps {
  models: readonly string[]
  same: boolean
  onSame: (same: boolean) => void
  lane: number
  onLane: (lane: number) => void
}

/** Whether all models have the same parameters, and if not, whose are shown. */
export function LaneChoice({ models, same, onSame, lane, onLane }: LaneChoiceProps) {
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line bg-surface px-3 py-2">
      <div className="flex items-center justify-between gap-3">
        <span className="text-sm">Same for all models</span>
        <Switch label="Same for all models" on={same} onChange={onSame} />
      </div>
      {same ? null : (
        <SegmentedControl
          label="Parameters of"
          options={models.map((_, index) => ({ value: String(index), label: `Model ${index + 1}` }))}
          value={String(lane)}
          onChange={(value) => onLane(Number(value))}
        />
      )}
      {same ? null : <p className="truncate text-ink-3 text-sm">{models[lane]}</p>}
    </div>
  )
}
