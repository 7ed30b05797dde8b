import { CircleAlert, CircleCheck } from 'lucide-react'
import type { ProviderTest } from '../../../shared/api/providers.ts'
import { cn } from '../../kit/cn.ts'
import { formatDuration } from '../../kit/format.ts'
import { formatModelCount } from './found-providers.tsx'

interface TestResultProps {
  result: ProviderTest
  className?: string
}

export function TestResult({ result, className }: TestResultProps) {
  const Icon = result.ok ? CircleCheck : CircleAlert
  return (
    <p role="status" className={cn('flex gap-2 text-sm', result.ok ? 'text-good' : 'text-bad', className)}>
      <Icon size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words">
        {result.ok
          ? `Connected in ${formatDuration(result.latencyMs)}, ${formatModelCount(result.modelCount)} found.`
          : `Connection failed: ${result.error ?? 'no reason was given.'}`}
      </span>
    </p>
  )
}
