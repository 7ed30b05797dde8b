import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { toast } from 'sonner'
import type { ModelRecord, Pricing } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { useEnabledModels } from '../../data/hooks.ts'
import { deleteOverride, putModel } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Field, Input, TextField } from '../../kit/field.tsx'
import { formatCount } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { formatInput } from '../../kit/number-input.ts'
import { Select } from '../../kit/select.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { formatPriceOrigin, formatPricing, formatUnitPrices } from '../../parts/requests/price-label.ts'
import { CapabilityBoxes } from './capabilities.tsx'
import { FallbackChain } from './fallback-chain.tsx'
import {
  isAlias,
  isCustomized,
  type ModelForm,
  type ModelFormErrors,
  modelForm,
  readModelForm,
} from './model-form.ts'
import { formatSource } from './suggestion.tsx'

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
  const [form, setForm] = useState(() => modelForm(model))
  const [errors, setErrors] = useState<ModelFormErrors>({})
  const { pending, error, submit } = useSubmit()
  const [action, setAction] = useState<'save' | 'delete'>('save')

  const run = (name: 'save' | 'delete', request: () => Promise<void>, message: string) => {
    setAction(name)
    void submit(async () => {
      await request()
      toast.success(message)
    }, onClose)
  }
  const reset = ({ id, enabled, override }: ModelRecord) => {
    if (isAlias(override)) return run('delete', () => deleteOverride(id), `${id} was deleted.`)
    // A disabled model stays disabled: that is set in the list, not here.
    const request = () => (enabled ? deleteOverride(id) : putModel(id, { enabled: false }))
    return run('delete', request, `${id} was reset.`)
  }
  // The fields of an alias show the values of its model.
  const base =
    model ??
    all.find(({ id, providers }) => id === form.upstreamModel && providers.includes(form.provider)) ??
    null
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const outcome = readModelForm(form, model, new Set(all.map(({ id }) => id)))
    setErrors(outcome.ok ? {} : outcome.errors)
    if (!outcome.ok) return
    const { id, override } = outcome
    // A form without values means no override, rather than an empty one.
    if (model !== null && Object.keys(override).length === 0) {
      if (model.override === null) return onClose()
      return run('delete', () => deleteOverride(id), `${id} was reset.`)
    }
    run('save', () => putModel(id, override), `${id} was saved.`)
  }

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
      <form onSubmit={onSubmit} className="flex flex-col gap-5">
        <TargetFields model={model} form={form} errors={errors} onChange={setForm} />
        <ModelFields model={base} suggestion={suggestion} form={form} errors={errors} onChange={setForm} />
        <FallbackChain
          models={models}
          ownId={form.id.trim()}
          chain={form.fallbacks}
          onChange={(fallbacks) => setForm({ ...form, fallbacks })}
        />
        <InlineError error={error} />
        <DialogActions>
          {model && isCustomized(model.override) ? (
            <Button
              variant="quiet"
              className="mr-auto"
              pending={pending && action === 'delete'}
              onClick={() => reset(model)}
            >
              {isAlias(model.override) ? 'Delete alias' : 'Reset to known values'}
            </Button>
          ) : null}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={pending && action === 'save'}>
            {model ? 'Save' : 'Add alias'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

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

function ModelFields({ model, suggestion, form, errors, onChange }: ModelFieldsProps) {
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
      inputPrice: formatInput(inputPerMillion),
      outputPrice: formatInput(outputPerMillion),
      cacheReadPrice: formatInput(cacheReadPerMillion),
      cacheWritePrice: formatInput(cacheWritePerMillion),
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

interface TargetFieldsProps {
  model: ModelRecord | null
  form: ModelForm
  errors: ModelFormErrors
  onChange: (form: ModelForm) => void
}

const ANY = ' any '

function TargetFields({ model, form, errors, onChange }: TargetFieldsProps) {
  const { data: providers = [] } = useQuery(queries.providers)
  const { data: models = [] } = useQuery(queries.models)
  const configured = providers.filter((provider) => provider.configured)
  const listId = useId()
  const offered = model === null ? configured : configured.filter(({ id }) => isOffered(model, form, id))
  const atProvider = models.filter(({ providers }) => providers.includes(form.provider))
  const isAlias = model === null || form.upstreamModel !== ''
  if (model !== null && !isAlias && offered.length < 2) return null
  return (
    <div className="grid grid-cols-2 gap-3">
      {model === null ? (
        <TextField
          label="Alias"
          mono
          autoFocus
          value={form.id}
          placeholder="fast"
          hint="The name that your tools use."
          error={errors.id}
          onChange={(id) => onChange({ ...form, id })}
          className="col-span-2"
        />
      ) : null}
      <Field label="Provider" error={errors.provider}>
        {({ id }) => (
          <Select
            id={id}
            label="Choose a provider"
            value={form.provider === '' && !isAlias ? ANY : form.provider}
            options={[
              ...(isAlias ? [] : [{ value: ANY, label: 'All providers of this model' }]),
              ...offered.map((provider) => ({ value: provider.id, label: provider.name })),
            ]}
            onChange={(provider) => onChange({ ...form, provider: provider === ANY ? '' : provider })}
          />
        )}
      </Field>
      {isAlias ? (
        <Field label="Provider’s model ID" error={errors.upstreamModel}>
          {(tie) => (
            <>
              <Input
                {...tie}
                list={listId}
                value={form.upstreamModel}
                onChange={(event) => onChange({ ...form, upstreamModel: event.target.value })}
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
function isOffered(model: ModelRecord, form: ModelForm, providerId: string): boolean {
  return form.upstreamModel !== '' || model.providers.includes(providerId) || form.provider === providerId
}
