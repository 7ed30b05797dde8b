// Owns what a model can do, as badges and as boxes to tick.
import { CAPABILITIES, type Capability } from '../../../shared/models.ts'
import { Badge } from '../../components/badge.tsx'

const words: Record<Capability, string> = {
  vision: 'Vision',
  tools: 'Tools',
  json: 'JSON',
  reasoning: 'Reasoning',
  streaming: 'Streaming',
}

/** Streaming is left out: nearly all models do it, and the gateway makes up for those that do not. */
export function CapabilityBadges({ of }: { of: readonly Capability[] }) {
  return (
    <div className="flex gap-1 overflow-hidden">
      {CAPABILITIES.filter((one) => one !== 'streaming' && of.includes(one)).map((one) => (
        <Badge key={one}>{words[one]}</Badge>
      ))}
    </div>
  )
}

interface CapabilityBoxesProps {
  value: readonly Capability[]
  onChange: (value: Capability[]) => void
}

export function CapabilityBoxes({ value, onChange }: CapabilityBoxesProps) {
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1.5">
      {CAPABILITIES.map((one) => (
        <label key={one} className="flex items-center gap-1.5">
          <input
            type="checkbox"
            checked={value.includes(one)}
            onChange={({ target }) =>
              onChange(target.checked ? [...value, one] : value.filter((other) => other !== one))
            }
            className="size-3.5 accent-accent"
          />
          {words[one]}
        </label>
      ))}
    </div>
  )
}
