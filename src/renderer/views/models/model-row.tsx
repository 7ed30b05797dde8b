import { Pencil } from 'lucide-react'
import type { ModelRecord } from '../../../shared/models.ts'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import { cn } from '../../components/cn.ts'
import { CopyIconButton } from '../../components/copy.tsx'
import { Switch } from '../../components/switch.tsx'
import { formatCount } from '../../format.ts'
import { CapabilityBadges } from './capabilities.tsx'
import { isCustomized } from './model-override.ts'
import { formatPriceOrigin, formatPriceOriginShort, formatPricing } from './price-label.ts'
import { useModelSwitch } from './use-model-switch.ts'

export function ModelRow({ model, onEdit }: { model: ModelRecord; onEdit: () => void }) {
  const { pricing, priceOrigin } = model
  const { enabled: on, error, setEnabled } = useModelSwitch(model)
  const approximate = priceOrigin?.match === 'approximate'
  return (
    <tr
      aria-label={model.id}
      className={cn('group h-13 border-b last:border-b-0 [&>td]:px-4', !on && 'text-ink-3')}
    >
      <td>
        <div className="-my-1 flex min-w-0 items-center gap-1.5">
          <span className="truncate font-medium font-mono" title={model.name}>
            {model.id}
          </span>
          {on ? null : <Badge>Off</Badge>}
          {isCustomized(model.override) ? <Badge tone={on ? 'accent' : 'plain'}>Customized</Badge> : null}
          <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
            <CopyIconButton text={model.id} label={`Copy ${model.id}`} />
          </span>
        </div>
        {error ? (
          <p role="alert" className="text-bad text-xs">
            Could not be {on ? 'disabled' : 'enabled'}: {error.message}
          </p>
        ) : null}
        {model.fallbacks.length > 0 ? (
          <p className="truncate text-ink-3 text-xs">then {model.fallbacks.join(', ')}</p>
        ) : null}
      </td>
      <td className={cn('truncate max-lg:hidden', on && 'text-ink-2')} title={model.providers.join(', ')}>
        {model.provider}
        {model.providers.length > 1 ? (
          <span className="text-ink-3"> +{model.providers.length - 1}</span>
        ) : null}
      </td>
      <td className="max-xl:hidden">
        <CapabilityBadges capabilities={model.capabilities} />
      </td>
      <td className={cn('text-right max-lg:hidden', on && 'text-ink-2')}>
        {model.contextWindow === null ? '–' : formatCount(model.contextWindow, true)}
      </td>
      <td className="text-right">
        {pricing ? (
          <>
            {approximate ? <span className="text-warn">~ </span> : null}
            {formatPricing(pricing)}
            {priceOrigin ? (
              <span className="block truncate text-ink-3 text-xs" title={formatPriceOrigin(priceOrigin)}>
                {formatPriceOriginShort(priceOrigin)}
              </span>
            ) : null}
          </>
        ) : (
          <span className="text-warn">unknown</span>
        )}
      </td>
      <td>
        <div className="flex items-center justify-end gap-2">
          <Switch label={`Use ${model.id}`} on={on} onChange={setEnabled} />
          <IconButton label={`Edit ${model.id}`} icon={Pencil} small onClick={onEdit} />
        </div>
      </td>
    </tr>
  )
}
