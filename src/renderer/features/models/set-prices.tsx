import { toast } from 'sonner'
import { z } from 'zod'
import type { ModelOverride, ModelRecord } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { changeOverrides } from '../../data/mutations.ts'
import { SegmentedControl } from '../../kit/controls.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { formatQuantity } from '../../kit/format.ts'
import { usdText } from '../../kit/number-input.ts'
import { setModelPricing } from './model-form.ts'

const Choice = z.enum(['price', 'free', 'suggested', 'known'])
type Choice = z.infer<typeof Choice>

const missing = (name: 'inputPerMillion' | 'outputPerMillion') => ({
  path: [name],
  error: 'Enter a price; 0 is free.',
  when: () => true,
})
const PriceChoice = z
  .object({
    choice: Choice,
    inputPerMillion: usdText.meta({ label: 'Input, USD per million tokens', inputMode: 'decimal' }),
    outputPerMillion: usdText.meta({ label: 'Output, USD per million tokens', inputMode: 'decimal' }),
  })
  .refine(
    ({ choice, inputPerMillion }) => choice !== 'price' || inputPerMillion !== null,
    missing('inputPerMillion'),
  )
  .refine(
    ({ choice, outputPerMillion }) => choice !== 'price' || outputPerMillion !== null,
    missing('outputPerMillion'),
  )

const EMPTY: z.input<typeof PriceChoice> = { choice: 'price', inputPerMillion: '', outputPerMillion: '' }

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
  const form = useForm(PriceChoice, () => EMPTY)
  const { choice } = form.draft

  /** The new price of each model that changes; undefined for the known one. */
  const listChanges = (values: z.output<typeof PriceChoice>): [ModelRecord, ModelOverride['pricing']][] => {
    const pricing = {
      inputPerMillion: values.inputPerMillion ?? 0,
      outputPerMillion: values.outputPerMillion ?? 0,
    }
    switch (values.choice) {
      case 'price':
      case 'free':
        return models.map((model) => [model, pricing])
      case 'suggested':
        return suggested.map((model) => [model, suggestions.get(model.id)?.pricing])
      case 'known':
        return own.map((model) => [model, undefined])
      default:
        return values.choice satisfies never
    }
  }
  const save = async (values: z.output<typeof PriceChoice>) => {
    const changes = listChanges(values)
    const overrides = changes.map(
      ([{ id, override }, pricing]) => [id, setModelPricing(override, pricing)] as const,
    )
    await changeOverrides(new Map(overrides))
    toast.success(`The price of ${formatQuantity(changes.length, 'model')} was set.`)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Price of ${formatQuantity(models.length, 'model')}`}
      ignoreOutsideClick
    >
      <Form
        form={form}
        action="Set price"
        save={save}
        onSaved={() => {
          onClose()
          onSaved()
        }}
        onClose={onClose}
      >
        <div>
          <SegmentedControl<Choice>
            label="Price"
            value={choice}
            onChange={(next) => form.change({ ...EMPTY, choice: next })}
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
            {form.field('inputPerMillion', { autoFocus: true })}
            {form.field('outputPerMillion')}
          </div>
        ) : (
          <p className="text-ink-2">{explain(choice, models.length, suggested.length, own.length)}</p>
        )}
      </Form>
    </Dialog>
  )
}

function explain(choice: Exclude<Choice, 'price'>, all: number, suggested: number, own: number): string {
  switch (choice) {
    case 'free':
      return 'Requests to these models are recorded at $0, and caps do not limit them.'
    case 'suggested':
      return `Uses what a known provider charges for a model of the same or a similar name. ${suggested} of ${formatQuantity(all, 'model')} have such a price; the others stay as they are.`
    case 'known':
      return `Removes your custom price from ${formatQuantity(own, 'model')}, which then have the known one, if there is one.`
    default:
      return choice satisfies never
  }
}
