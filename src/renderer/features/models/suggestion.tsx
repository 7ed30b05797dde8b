import { toast } from 'sonner'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { putModel } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { formatPricing } from '../../parts/requests/price-label.ts'

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
