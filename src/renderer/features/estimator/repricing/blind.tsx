// Answers that are judged without knowing which model wrote them.

import { useState } from 'react'
import { Button } from '../../../kit/button.tsx'
import { chooseUsdDecimals, formatUsd } from '../../../kit/format.ts'
import { Card } from '../../../kit/page.tsx'
import type { Answer } from '../../../parts/chats/chat-storage.ts'

/** Which column has the better answer; null for neither. */
type Verdict = 0 | 1 | null

export interface BlindTest {
  /** Whether the answers to a request are shown in the other order. */
  isSwapped(requestId: string): boolean
  verdicts: ReadonlyMap<string, Verdict>
  judge(requestId: string, verdict: Verdict): void
  /** Forgets the verdicts, and shuffles. */
  restart(requestIds: readonly string[]): void
}

export function useBlindTest(): BlindTest {
  const [swapped, setSwapped] = useState<ReadonlySet<string>>(new Set())
  const [verdicts, setVerdicts] = useState<ReadonlyMap<string, Verdict>>(new Map())
  return {
    isSwapped: (id) => swapped.has(id),
    verdicts,
    judge: (id, verdict) => setVerdicts((before) => new Map(before).set(id, verdict)),
    restart(ids) {
      setVerdicts(new Map())
      setSwapped(new Set(ids.filter(() => Math.random() < 0.5)))
    },
  }
}

interface JudgeProps {
  verdict: Verdict | undefined
  /** The columns in the order in which they are shown. */
  order: readonly [0 | 1, 0 | 1]
  disabled: boolean
  onJudge: (verdict: Verdict) => void
}

/** The buttons below two answers. */
export function Judge({ verdict, order: [left, right], disabled, onJudge }: JudgeProps) {
  const choices: [string, Verdict][] = [
    ['A is better', left],
    ['Equally good', null],
    ['B is better', right],
  ]
  return (
    <fieldset
      disabled={disabled}
      className="flex flex-wrap justify-center gap-2 border-line border-t px-4 py-2.5"
    >
      <legend className="sr-only">Which answer is better?</legend>
      {choices.map(([label, value]) => (
        <Button
          key={label}
          small
          variant={verdict === value ? 'primary' : 'secondary'}
          aria-pressed={verdict === value}
          onClick={() => onJudge(value)}
        >
          {label}
        </Button>
      ))}
    </fieldset>
  )
}

interface BlindResultProps {
  models: readonly [string, string]
  verdicts: readonly Verdict[]
  /** The answers of each column. */
  answers: readonly (readonly Answer[])[]
}

/** How often each model was better, next to what its answers cost. */
export function BlindResult({ models, verdicts, answers }: BlindResultProps) {
  const wins = ([0, 1] as const).map((column) => verdicts.filter((verdict) => verdict === column).length)
  const equal = verdicts.filter((verdict) => verdict === null).length
  const costs = answers.map((column) => column.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0))
  const decimals = chooseUsdDecimals(costs)
  return (
    <Card className="p-5 max-sm:p-4">
      <h2 className="font-semibold text-xl max-sm:text-lg">
        {`${models.map((model, column) => `${model} was better ${countTimes(wins[column] ?? 0)}`).join(', ')}, and ${equal === 0 ? 'none were' : equal === 1 ? '1 was' : `${equal} were`} equal`}
      </h2>
      <p className="mt-1 text-ink-2">
        {`${models.map((model, column) => `${model} cost ${formatUsd(costs[column] ?? 0, decimals)}`).join(', ')} for ${verdicts.length === 1 ? 'this request' : `these ${verdicts.length} requests`}.`}
      </p>
    </Card>
  )
}

function countTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
