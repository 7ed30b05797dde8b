import type { Capability } from '../../../shared/api/models.ts'
import { CAPABILITIES } from '../../../shared/api/terms.ts'
import { Badge } from '../../kit/badge.tsx'

const labels: Record<Capability, string> = {
  vision: 'Vision',
  tools: 'Tools',
  json: 'JSON',
  reasoning: 'Reasoning',
  streaming: 'Streaming',
  embeddings: 'Embeddings',
  moderation: 'Moderation',
  rerank: 'Rerank',
  images: 'Images',
  transcription: 'Transcription',
  speech: 'Speech',
}

/** All but streaming, which the gateway provides for models that cannot stream. */
export function CapabilityBadges({ capabilities }: { capabilities: readonly Capability[] }) {
  return (
    <div className="flex gap-1 overflow-hidden">
      {CAPABILITIES.filter((one) => one !== 'streaming' && capabilities.includes(one)).map((one) => (
        <Badge key={one}>{labels[one]}</Badge>
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
        <label key={one} className="flex min-h-6 items-center gap-1.5">
          <input
            type="checkbox"
            checked={value.includes(one)}
            onChange={({ target }) =>
              onChange(target.checked ? [...value, one] : value.filter((other) => other !== one))
            }
            className="size-4 accent-accent"
          />
          {labels[one]}
        </label>
      ))}
    </div>
  )
}
