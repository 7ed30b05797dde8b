import { ArrowDown, ArrowUp, GripVertical, X } from 'lucide-react'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { cn } from '../../kit/cn.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { ModelPicker } from '../../kit/model-picker.tsx'
import { useReorder } from '../../kit/use-reorder.ts'

/** The gateway's maximum. */
const MAX_FALLBACKS = 8

interface FallbackChainProps {
  models: readonly ModelRecord[]
  /** The model itself, which cannot be in its own chain; empty for a new alias. */
  ownId: string
  chain: readonly string[]
  onChange: (chain: string[]) => void
}

export function FallbackChain({ models, ownId, chain, onChange }: FallbackChainProps) {
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
