import { toast } from 'sonner'
import type { Capability, ModelRecord } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { CAPABILITIES } from '../../../shared/api/terms.ts'
import { putModel } from '../../data/mutations.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { formatPricing } from '../../parts/requests/price-label.ts'

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

/** "gpt-4o at OpenAI", or "like gpt-4o at OpenAI" when only the beginning of the name is the same. */
export function formatSource({ knownAs, provider, match }: PriceSuggestion): string {
  return `${match === 'approximate' ? 'like ' : ''}${knownAs} at ${provider}`
}

/** A known price, and the button that sets it as the model's own. */
export function Suggestion({ model, suggestion }: { model: ModelRecord; suggestion: PriceSuggestion }) {
  const { pending, error, submit } = useSubmit()
  const use = () =>
    submit(async () => {
      await putModel(model.id, { ...model.override, pricing: suggestion.pricing })
      toast.success(`${model.id} now costs ${formatPricing(suggestion.pricing)} per million tokens.`)
    })
  const source = formatSource(suggestion)
  return (
    <div className="-my-1 flex min-w-0 items-center gap-2">
      <Button
        small
        pending={pending}
        aria-label={`Use this price for ${model.id}`}
        onClick={() => void use()}
      >
        Use
      </Button>
      {error ? (
        <span role="alert" className="min-w-0 truncate text-bad">
          {error.message}
        </span>
      ) : (
        <>
          <span className="shrink-0">{formatPricing(suggestion.pricing)}</span>
          <span className="min-w-0 truncate text-ink-3" title={source}>
            {source}
          </span>
        </>
      )}
    </div>
  )
}
