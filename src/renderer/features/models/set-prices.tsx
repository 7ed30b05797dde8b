import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'
import type { ModelOverride, ModelRecord } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { changeOverrides } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { parseUsd } from '../../kit/number-input.ts'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { countModels } from './model-filter.ts'
import { setModelPricing } from './model-form.ts'

type Choice = 'price' | 'free' | 'suggested' | 'known'

interface SetPricesProps {
  models: readonly ModelRecord[]
  suggestions: ReadonlyMap<string, PriceSuggestion>
  onClose: () => void
  onSaved: () => void
}

/** Sets one price for several models. Their other settings stay. */
export function SetPrices({ models, suggestions, onClose, onSaved }: SetPricesProps) {
  const suggested = models.filter(({ id }) => suggestions.has(id))
  const own = models.filter(({ override }) => override?.pricing !== undefined)
  const [choice, setChoice] = useState<Choice>('price')
  const [input, setInput] = useState('')
  const [output, setOutput] = useState('')
  const [tried, setTried] = useState(false)
  const { pending, error, submit } = useSubmit()
  const prices = [parseUsd(input), parseUsd(output)] as const
  const [inputPrice, outputPrice] = prices

  /** The new price of each model that changes; undefined for the known one. */
  const readChanges = (): [ModelRecord, ModelOverride['pricing']][] | null => {
    switch (choice) {
      case 'price': {
        if (!inputPrice.ok || !outputPrice.ok || inputPrice.usd === null || outputPrice.usd === null)
          return null
        const pricing = { inputPerMillion: inputPrice.usd, outputPerMillion: outputPrice.usd }
        return models.map((model) => [model, pricing])
      }
      case 'free':
        return models.map((model) => [model, { inputPerMillion: 0, outputPerMillion: 0 }])
      case 'suggested':
        return suggested.map((model) => [model, suggestions.get(model.id)?.pricing])
      case 'known':
        return own.map((model) => [model, undefined])
      default:
        return choice satisfies never
    }
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    const changes = readChanges()
    if (changes === null) return
    const overrides = changes.map(
      ([{ id, override }, pricing]) => [id, setModelPricing(override, pricing)] as const,
    )
    void submit(
      async () => {
        await changeOverrides(new Map(overrides))
        toast.success(`The price of ${countModels(changes.length)} was set.`)
      },
      () => {
        onClose()
        onSaved()
      },
    )
  }
  const getError = (price: (typeof prices)[number]) => {
    if (!price.ok) return price.message
    return tried && price.usd === null ? 'Enter a price; 0 is free.' : null
  }

  return (
    <Dialog open onClose={onClose} title={`Price of ${countModels(models.length)}`} ignoreOutsideClick>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <div>
          <SegmentedControl<Choice>
            label="Price"
            value={choice}
            onChange={setChoice}
            options={[
              { value: 'price', label: 'Price' },
              { value: 'free', label: 'Free (local)' },
              ...(suggested.length > 0 ? [{ value: 'suggested' as const, label: 'Suggested' }] : []),
              ...(own.length > 0 ? [{ value: 'known' as const, label: 'Known price' }] : []),
            ]}
          />
        </div>
        {choice === 'price' ? (
          <div className="grid grid-cols-2 gap-3">
            <TextField
              label="Input, USD per million tokens"
              value={input}
              onChange={setInput}
              autoFocus
              inputMode="decimal"
              error={getError(inputPrice)}
            />
            <TextField
              label="Output, USD per million tokens"
              value={output}
              onChange={setOutput}
              inputMode="decimal"
              error={getError(outputPrice)}
            />
          </div>
        ) : (
          <p className="text-ink-2">{explain(choice, models.length, suggested.length, own.length)}</p>
        )}
        <InlineError error={error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={pending}>
            Set price
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function explain(choice: Exclude<Choice, 'price'>, all: number, suggested: number, own: number): string {
  switch (choice) {
    case 'free':
      return 'Requests to these models are recorded at $0, and caps do not limit them.'
    case 'suggested':
      return `Uses what a known provider charges for a model of the same or a similar name. ${suggested} of ${countModels(all)} have such a price; the others stay as they are.`
    case 'known':
      return `Removes your custom price from ${countModels(own)}, which then have the known one, if there is one.`
    default:
      return choice satisfies never
  }
}
