import type { ModelRecord, Pricing } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { formatCount } from '../../kit/format.ts'
import { formatPriceOrigin, formatPricing, formatUnitPrices } from '../../parts/requests/price-label.ts'
import { CapabilityBoxes } from './capabilities.tsx'
import { type ModelForm, type ModelFormErrors, toText } from './model-form.ts'
import { formatSource } from './suggestion.tsx'

interface ModelFieldsProps {
  model: ModelRecord | null
  /** The suggestion for a model without a price. */
  suggestion: PriceSuggestion | null
  form: ModelForm
  errors: ModelFormErrors
  onChange: (form: ModelForm) => void
}

type TextName = {
  [K in keyof ModelForm]: ModelForm[K] extends string ? K : never
}[keyof ModelForm]

export function ModelFields({ model, suggestion, form, errors, onChange }: ModelFieldsProps) {
  const field = (name: TextName, label: string, known: number | null | undefined) => (
    <TextField
      label={label}
      inputMode="decimal"
      value={form[name]}
      error={errors[name]}
      placeholder={known === null || known === undefined ? 'Unknown' : formatCountOrPrice(known)}
      onChange={(text) => onChange({ ...form, [name]: text })}
    />
  )
  const { pricing = null, priceOrigin = null } = model ?? {}
  const ownPrice = priceOrigin?.source === 'user'
  const setPrice = ({
    inputPerMillion,
    outputPerMillion,
    cacheReadPerMillion,
    cacheWritePerMillion,
  }: Pricing) =>
    onChange({
      ...form,
      inputPrice: String(inputPerMillion),
      outputPrice: String(outputPerMillion),
      cacheReadPrice: toText(cacheReadPerMillion),
      cacheWritePrice: toText(cacheWritePerMillion),
    })
  const capabilities = form.capabilities ?? model?.capabilities ?? []
  return (
    <>
      <fieldset>
        <legend className="mb-1 font-medium text-ink-2 text-sm">Price, USD per million tokens</legend>
        <div className="grid grid-cols-4 gap-3 max-md:grid-cols-2">
          {field('inputPrice', 'Input', ownPrice ? null : pricing?.inputPerMillion)}
          {field('outputPrice', 'Output', ownPrice ? null : pricing?.outputPerMillion)}
          {field('cacheReadPrice', 'Cache read', ownPrice ? null : pricing?.cacheReadPerMillion)}
          {field('cacheWritePrice', 'Cache write', ownPrice ? null : pricing?.cacheWritePerMillion)}
        </div>
        {priceOrigin && !ownPrice ? (
          <p className="mt-1 text-ink-3 text-sm">
            Known:{' '}
            {[...(pricing ? formatUnitPrices(pricing) : []), formatPriceOrigin(priceOrigin)].join(', ')}.
          </p>
        ) : null}
        {model && pricing === null ? (
          <p className="mt-2 flex flex-wrap items-center gap-2 text-ink-2 text-sm">
            {suggestion ? (
              <>
                {formatPricing(suggestion.pricing)}, {formatSource(suggestion)}
                <Button small onClick={() => setPrice(suggestion.pricing)}>
                  Use this price
                </Button>
              </>
            ) : (
              'The price is unknown. Its requests are missing in every total until you set one.'
            )}
            <Button
              small
              className="ml-auto"
              onClick={() => setPrice({ inputPerMillion: 0, outputPerMillion: 0 })}
            >
              Free (local)
            </Button>
          </p>
        ) : null}
      </fieldset>
      <fieldset className="grid grid-cols-2 gap-3">
        <legend className="mb-1 font-medium text-ink-2 text-sm">Limits, in tokens</legend>
        {field('contextWindow', 'Context', model?.contextWindow)}
        {field('maxOutputTokens', 'Output limit', model?.maxOutputTokens)}
      </fieldset>
      <fieldset>
        <legend className="mb-1 font-medium text-ink-2 text-sm">Capabilities</legend>
        <div className="flex min-h-7 flex-wrap items-center gap-x-4">
          <CapabilityBoxes
            value={capabilities}
            onChange={(next) => onChange({ ...form, capabilities: next })}
          />
          {form.capabilities === null ? null : (
            <Button small variant="quiet" onClick={() => onChange({ ...form, capabilities: null })}>
              Use known values
            </Button>
          )}
        </div>
        {model && !model.capabilitiesKnown ? (
          <p className="mt-1 text-ink-3 text-sm">
            Unknown, so these are assumed. Requests are not rejected because of them.
          </p>
        ) : null}
      </fieldset>
    </>
  )
}

function formatCountOrPrice(known: number): string {
  return Number.isInteger(known) ? formatCount(known) : String(known)
}
