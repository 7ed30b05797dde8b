// The controls of Overview, which are loaded after its amounts: menus and popovers take more scripts than all of them.
import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from '../../kit/cn.ts'
import { laterView } from '../../kit/lazy-view.tsx'
import type { Option, Select } from '../../kit/select.tsx'

export const helpHint = laterView(
  async () => (await import('../../parts/help/help-hint.tsx')).HelpHint,
  () => <span className="size-5" />,
)
export const limitButton = laterView(
  async () => (await import('../../parts/limits/limit-form.tsx')).LimitButton,
)
export const plansCard = laterView(
  async () => (await import('../../../features/plans/view/plans-card.tsx')).PlansCard,
)
export const shareChart = laterView(async () => (await import('./share-chart.tsx')).ShareChart)
export const historySwitch = laterView(
  async () => (await import('../../../features/history/view/history.tsx')).HistorySwitch,
)
export const historySum = laterView(
  async () => (await import('../../../features/history/view/history.tsx')).HistorySum,
)
export const capHandle = laterView(async () => (await import('./cap-trial.tsx')).CapHandle)
export const capTrial = laterView(async () => (await import('./cap-trial.tsx')).CapTrial)

const select = laterView<ComponentProps<typeof Select<string>>>(
  async () => (await import('../../kit/select.tsx')).Select,
  ({ label, value, options, className }) => (
    <span
      className={cn(
        'inline-flex h-7 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-2 text-sm',
        className,
      )}
    >
      {options.find((option) => option.value === value)?.label ?? label}
      <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-3" />
    </span>
  ),
)

interface LaterSelectProps<T extends string> {
  label: string
  value: T
  options: readonly Option<T>[]
  onChange: (value: T) => void
  className?: string
}

/** A small select, which looks the same until it is loaded. */
export function LaterSelect<T extends string>({ options, onChange, ...rest }: LaterSelectProps<T>) {
  const choose = (value: string) => {
    const chosen = options.find((option) => option.value === value)
    if (chosen) onChange(chosen.value)
  }
  return <select.View small options={options} onChange={choose} {...rest} />
}
