import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, GripVertical, X } from 'lucide-react'
import { Fragment, useId } from 'react'
import { toast } from 'sonner'
import type { z } from 'zod'
import type { Capability, ModelRecord, Pricing } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { useEnabledModels } from '../../data/hooks.ts'
import { deleteOverride, putModel } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { Dialog } from '../../kit/dialog.tsx'
import { Field, Input } from '../../kit/field.tsx'
import { Form, type FormState, useForm } from '../../kit/form.tsx'
import { formatCount } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { ModelPicker } from '../../kit/model-picker.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { formatInput } from '../../kit/number-input.ts'
import { Select } from '../../kit/select.tsx'
import { useReorder } from '../../kit/use-reorder.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { formatPriceOrigin, formatPricing, formatUnitPrices } from '../../parts/requests/price-label.ts'
import { CapabilityBoxes, formatSource } from './capabilities.tsx'
import {
  createModelForm,
  isAlias,
  isCustomized,
  type ModelForm,
  PRICES,
  toModelDraft,
  toOverride,
} from './model-form.ts'

interface EditModelProps {
  /** Null for a new alias. */
  model: ModelRecord | null
  /** The suggestion for a model without a price. */
  suggestion: PriceSuggestion | null
  onClose: () => void
}

export function EditModel({ model, suggestion, onClose }: EditModelProps) {
  const { data: all = [] } = useQuery(queries.models)
  const models = useEnabledModels()
  const schema = createModelForm(model, new Set(all.map(({ id }) => id)))
  const form = useForm(schema, () => toModelDraft(model), { late: true })
  const { draft } = form
  const deletion = useSubmit()

  const save = async (values: z.output<ModelForm>) => {
    const override = toOverride(values, model)
    // A form without values means no override, rather than an empty one.
    if (model === null || Object.keys(override).length > 0) {
      await putModel(values.id, override)
      toast.success(`${values.id} was saved.`)
    } else if (model.override !== null) await reset(model)
  }
  // The fields of an alias show the values of its model.
  const base =
    model ??
    all.find(({ id, providers }) => id === draft.upstreamModel && providers.includes(draft.provider)) ??
    null
  return (
    <Dialog
      open
      wide
      ignoreOutsideClick
      onClose={onClose}
      title={model ? model.id : 'Add alias'}
      description={
        model
          ? 'Your values override the known ones. Leave a field empty to use the known value.'
          : 'Another name for a model, with a separate price, limits and fallbacks.'
      }
    >
      <Form
        form={form}
        action={model ? 'Save' : 'Add alias'}
        save={save}
        onSaved={onClose}
        onClose={onClose}
        className="gap-5"
        above={deletion.error ? <InlineError error={deletion.error} /> : null}
        buttons={
          model && isCustomized(model.override) ? (
            <Button
              variant="quiet"
              className="mr-auto"
              pending={deletion.pending}
              onClick={() => void deletion.submit(() => reset(model), onClose)}
            >
              {isAlias(model.override) ? 'Delete alias' : 'Reset to known values'}
            </Button>
          ) : null
        }
      >
        <TargetFields model={model} form={form} />
        <PriceFields model={base} suggestion={suggestion} form={form} />
        <fieldset className="grid grid-cols-2 gap-3">
          <legend className="mb-1 font-medium text-ink-2 text-sm">Limits, in tokens</legend>
          {form.field('contextWindow', { placeholder: formatKnown(base?.contextWindow) })}
          {form.field('maxOutputTokens', { placeholder: formatKnown(base?.maxOutputTokens) })}
        </fieldset>
        <Capabilities
          model={base}
          chosen={draft.capabilities}
          onChange={(capabilities) => form.change({ capabilities })}
        />
        <FallbackChain
          models={models}
          ownId={draft.id.trim()}
          chain={draft.fallbacks}
          onChange={(fallbacks) => form.change({ fallbacks })}
        />
      </Form>
    </Dialog>
  )
}

/** Removes what the user has set. A disabled model stays disabled: that is set in the list, not here. */
async function reset({ id, enabled, override }: ModelRecord): Promise<void> {
  if (isAlias(override) || enabled) await deleteOverride(id)
  else await putModel(id, { enabled: false })
  toast.success(isAlias(override) ? `${id} was deleted.` : `${id} was reset.`)
}

function formatKnown(known: number | null | undefined): string {
  if (known === null || known === undefined) return 'Unknown'
  return Number.isInteger(known) ? formatCount(known) : String(known)
}

interface PriceFieldsProps {
  model: ModelRecord | null
  /** The suggestion for a model without a price. */
  suggestion: PriceSuggestion | null
  form: FormState<ModelForm>
}

function PriceFields({ model, suggestion, form }: PriceFieldsProps) {
  const { pricing = null, priceOrigin = null } = model ?? {}
  const isOwnPrice = priceOrigin?.source === 'user'
  const setPrice = (next: Pricing) =>
    form.change(Object.fromEntries(PRICES.map((name) => [name, formatInput(next[name])])))
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-ink-2 text-sm">Price, USD per million tokens</legend>
      <div className="grid grid-cols-4 gap-3 max-md:grid-cols-2">
        {PRICES.map((name) => (
          <Fragment key={name}>
            {form.field(name, { placeholder: formatKnown(isOwnPrice ? null : pricing?.[name]) })}
          </Fragment>
        ))}
      </div>
      {priceOrigin && !isOwnPrice ? (
        <p className="mt-1 text-ink-3 text-sm">{`Known: ${[...(pricing ? formatUnitPrices(pricing) : []), formatPriceOrigin(priceOrigin)].join(', ')}.`}</p>
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
  )
}

interface CapabilitiesProps {
  model: ModelRecord | null
  /** Null: the known ones. */
  chosen: Capability[] | null
  onChange: (chosen: Capability[] | null) => void
}

function Capabilities({ model, chosen, onChange }: CapabilitiesProps) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-ink-2 text-sm">Capabilities</legend>
      <div className="flex min-h-7 flex-wrap items-center gap-x-4">
        <CapabilityBoxes value={chosen ?? model?.capabilities ?? []} onChange={onChange} />
        {chosen === null ? null : (
          <Button small variant="quiet" onClick={() => onChange(null)}>
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
  )
}

interface TargetFieldsProps {
  model: ModelRecord | null
  form: FormState<ModelForm>
}

const ANY = ' any '

function TargetFields({ model, form }: TargetFieldsProps) {
  const { draft, change } = form
  const { data: providers = [] } = useQuery(queries.providers)
  const { data: models = [] } = useQuery(queries.models)
  const configured = providers.filter((provider) => provider.configured)
  const listId = useId()
  const offered = model === null ? configured : configured.filter(({ id }) => isOffered(model, draft, id))
  const atProvider = models.filter(({ providers }) => providers.includes(draft.provider))
  const isAlias = model === null || draft.upstreamModel !== ''
  if (model !== null && !isAlias && offered.length < 2) return null
  return (
    <div className="grid grid-cols-2 gap-3">
      {model === null ? form.field('id', { autoFocus: true, className: 'col-span-2' }) : null}
      <Field label="Provider" error={form.getError('provider')}>
        {({ id }) => (
          <Select
            id={id}
            label="Choose a provider"
            value={draft.provider === '' && !isAlias ? ANY : draft.provider}
            options={[
              ...(isAlias ? [] : [{ value: ANY, label: 'All providers of this model' }]),
              ...offered.map((provider) => ({ value: provider.id, label: provider.name })),
            ]}
            onChange={(provider) => change({ provider: provider === ANY ? '' : provider })}
          />
        )}
      </Field>
      {isAlias ? (
        <Field label="Provider’s model ID" error={form.getError('upstreamModel')}>
          {(tie) => (
            <>
              <Input
                {...tie}
                list={listId}
                value={draft.upstreamModel}
                onChange={({ target }) => change({ upstreamModel: target.value })}
                className="font-mono text-sm"
              />
              <datalist id={listId}>
                {atProvider.map(({ id }) => (
                  <option key={id} value={id} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      ) : null}
    </div>
  )
}

/** A model with a pinned provider lists only that one, which must remain an option. */
function isOffered(model: ModelRecord, draft: z.input<ModelForm>, providerId: string): boolean {
  return draft.upstreamModel !== '' || model.providers.includes(providerId) || draft.provider === providerId
}

/** The gateway's maximum. */
const MAX_FALLBACKS = 8

interface FallbackChainProps {
  models: readonly ModelRecord[]
  /** The model itself, which cannot be in its own chain; empty for a new alias. */
  ownId: string
  chain: readonly string[]
  onChange: (chain: string[]) => void
}

function FallbackChain({ models, ownId, chain, onChange }: FallbackChainProps) {
  const { order, dragged, announcement, move, rowProps, handleProps } = useReorder({
    ids: chain,
    getName: (id) => id,
    onReorder: onChange,
  })
  const choices = models.filter(({ id }) => id !== ownId && !chain.includes(id))

  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium text-ink-2 text-sm">Fallbacks</legend>
      <p className="text-ink-3 text-sm">
        {chain.length === 0
          ? 'Models to try, in order, when every provider of this model fails. None yet.'
          : 'Models to try, in this order, when every provider of this model fails.'}
      </p>
      <ol className="flex flex-col gap-1">
        {order.map((id, index) => (
          <li
            key={id}
            {...rowProps(id)}
            {...handleProps(id)}
            className={cn(
              'flex h-9 items-center gap-2 rounded-md border border-line bg-surface pr-1 pl-1.5',
              dragged === id && 'border-accent opacity-60',
            )}
          >
            <GripVertical size={14} aria-hidden className="shrink-0 cursor-grab text-ink-3" />
            <span className="w-4 text-right text-ink-3 text-sm">{index + 1}</span>
            <span className="min-w-0 flex-1 truncate font-mono text-sm">{id}</span>
            {models.some((model) => model.id === id) ? null : (
              <span className="text-sm text-warn">not available</span>
            )}
            <IconButton
              small
              icon={ArrowUp}
              label={`Move ${id} up`}
              disabled={index === 0}
              onClick={() => move(id, -1)}
            />
            <IconButton
              small
              icon={ArrowDown}
              label={`Move ${id} down`}
              disabled={index === order.length - 1}
              onClick={() => move(id, 1)}
            />
            <IconButton
              small
              icon={X}
              label={`Remove ${id} from the fallbacks`}
              onClick={() => onChange(chain.filter((other) => other !== id))}
            />
          </li>
        ))}
      </ol>
      {chain.length < MAX_FALLBACKS && choices.length > 0 ? (
        <ModelPicker
          label="Add a fallback"
          models={choices}
          value=""
          placeholder="Add a fallback"
          onChange={(id) => onChange([...chain, id])}
          className="w-64"
        />
      ) : null}
      <p aria-live="polite" className="sr-only">
        {announcement}
      </p>
    </fieldset>
  )
}
