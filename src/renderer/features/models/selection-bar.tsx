import { X } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { changeOverrides } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { countModels } from './count-models.ts'
import { setModelEnabled } from './model-override.ts'
import { SetPrices } from './set-prices.tsx'

interface SelectionBarProps {
  models: readonly ModelRecord[]
  suggestions: ReadonlyMap<string, PriceSuggestion>
  onClear: () => void
}

/** Actions on all selected models together. */
export function SelectionBar({ models, suggestions, onClear }: SelectionBarProps) {
  const [pricing, setPricing] = useState(false)
  const { pending, error, submit } = useSubmit()
  const setEnabled = (enabled: boolean) =>
    submit(async () => {
      const changed = models.filter((model) => model.enabled !== enabled)
      await changeOverrides(
        new Map(changed.map(({ id, override }) => [id, setModelEnabled(override, enabled)])),
      )
      toast.success(`${countModels(models.length)} turned ${enabled ? 'on' : 'off'}.`)
    }, onClear)
  return (
    <section
      aria-label="Selected models"
      className="sticky bottom-0 flex flex-wrap items-center gap-2 rounded-b-lg border-line border-t bg-raised px-4 py-2.5 shadow-float"
    >
      <span aria-live="polite" className="font-medium">
        {countModels(models.length)} selected
      </span>
      {error ? (
        <span role="alert" className="min-w-0 truncate text-bad text-sm">
          {error.message}
        </span>
      ) : null}
      <span className="ml-auto flex flex-wrap items-center gap-2">
        <Button small disabled={pending} onClick={() => void setEnabled(true)}>
          Turn on
        </Button>
        <Button small disabled={pending} onClick={() => void setEnabled(false)}>
          Turn off
        </Button>
        <Button small variant="primary" disabled={pending} onClick={() => setPricing(true)}>
          Set price
        </Button>
        <IconButton small icon={X} label="Clear the selection" onClick={onClear} />
      </span>
      {pricing ? (
        <SetPrices
          models={models}
          suggestions={suggestions}
          onClose={() => setPricing(false)}
          onSaved={onClear}
        />
      ) : null}
    </section>
  )
}
