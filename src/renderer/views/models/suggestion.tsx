import { toast } from 'sonner'
import type { ModelRecord } from '../../../shared/models.ts'
import type { PriceSuggestion } from '../../../shared/pricing.ts'
import { Button } from '../../components/button.tsx'
import { putModel } from '../../server-state/mutations.ts'
import { useSubmit } from '../../use-submit.ts'
import { formatPricing } from './price-label.ts'

/** "gpt-4o at OpenAI: $2.50 / $10.00", or "Like gpt-4o at …" when only the beginning of the name is the same. */
export function formatSuggestion({ knownAs, provider, match, pricing }: PriceSuggestion): string {
  return `${match === 'approximate' ? 'Like ' : ''}${knownAs} at ${provider}: ${formatPricing(pricing)}`
}

/** A known price, and the button that sets it as the model's own. */
export function Suggestion({ model, suggestion }: { model: ModelRecord; suggestion: PriceSuggestion }) {
  const { pending, error, submit } = useSubmit()
  const use = () =>
    submit(async () => {
      await putModel(model.id, { ...model.override, pricing: suggestion.pricing })
      toast.success(`${model.id} now costs ${formatPricing(suggestion.pricing)} per million tokens.`)
    })
  const text = formatSuggestion(suggestion)
  return (
    <div className="-my-1 flex min-w-0 items-center gap-2">
      <span className="min-w-0 truncate text-ink-2" title={text}>
        {error ? <span className="text-bad">{error.message}</span> : text}
      </span>
      <Button
        small
        pending={pending}
        aria-label={`Use this price for ${model.id}`}
        onClick={() => void use()}
        className="ml-auto"
      >
        Use
      </Button>
    </div>
  )
}
