import { cn } from '../../components/cn.ts'

/**
 * The columns of header and rows. As the list gets narrower, it drops the provider first, then tokens and latency, then the
 * key.
 */
export const rowGrid =
  'grid items-center gap-x-3 px-6 grid-cols-[96px_minmax(70px,1fr)_minmax(140px,1.8fr)_minmax(70px,0.8fr)_104px_104px_92px_68px] @max-[820px]:gap-x-2 @max-[820px]:grid-cols-[92px_minmax(70px,1fr)_minmax(104px,1.4fr)_92px_80px_74px_62px] @max-[640px]:grid-cols-[92px_minmax(70px,1fr)_minmax(104px,1.4fr)_92px_74px] @max-[500px]:grid-cols-[92px_minmax(80px,1fr)_92px_70px] @max-[500px]:px-4'
export const dropped = {
  first: '@max-[820px]:hidden',
  second: '@max-[640px]:hidden',
  third: '@max-[500px]:hidden',
} as const

const heads = [
  { name: 'Time' },
  { name: 'Key', look: dropped.third },
  { name: 'Model' },
  { name: 'Provider', look: dropped.first },
  { name: 'Status' },
  { name: 'Tokens in / out', look: `text-right ${dropped.second}` },
  { name: 'Cost', look: 'text-right' },
  { name: 'Latency', look: `text-right ${dropped.second}` },
]

export function TableHead() {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
    <div role="rowgroup" className="shrink-0 overflow-hidden border-line border-b [scrollbar-gutter:stable]">
      {/* biome-ignore lint/a11y/useSemanticElements: part of the virtualised table */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: a head row is not reached by itself */}
      <div role="row" className={`${rowGrid} h-8 font-medium text-ink-3 text-xs`}>
        {heads.map(({ name, look }) => (
          // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
          // biome-ignore lint/a11y/useFocusableInteractive: a column head is not reached by itself
          <div key={name} role="columnheader" className={cn('truncate', look)}>
            {name}
          </div>
        ))}
      </div>
    </div>
  )
}
