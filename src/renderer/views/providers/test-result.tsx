// Owns the result of trying a provider, in a sentence.
import { CircleAlert, CircleCheck } from 'lucide-react'
import type { ProviderTest } from '../../../shared/providers.ts'
import { cn } from '../../components/cn.ts'
import { formatDuration } from '../../format.ts'

interface TestResultProps {
  result: ProviderTest
  /** It runs on this computer, and so may simply not have been started. */
  local?: boolean
  className?: string
}

export function TestResult({ result, local = false, className }: TestResultProps) {
  const Icon = result.ok ? CircleCheck : CircleAlert
  return (
    <p role="status" className={cn('flex gap-2 text-sm', result.ok ? 'text-good' : 'text-bad', className)}>
      <Icon size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words">
        {result.ok
          ? `Works: answered in ${formatDuration(result.latencyMs)} with ${result.modelCount === 1 ? '1 model' : `${result.modelCount} models`}.`
          : `Does not work: ${result.error ?? 'it gave no reason.'}${local ? ' Is it running?' : ''}`}
      </span>
    </p>
  )
}
