import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { useEnabledModels } from '../../data/hooks.ts'
import { deleteOverride, putModel } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { FallbackChain } from './fallback-chain.tsx'
import { ModelFields } from './model-fields.tsx'
import { type ModelFormErrors, modelForm, readModelForm } from './model-form.ts'
import { isAlias, isCustomized } from './model-override.ts'
import { TargetFields } from './target-fields.tsx'

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
