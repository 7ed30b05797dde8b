import { t } from 'ttag'
import type { Session } from '../../../shared/api/sessions.ts'
import {
  cacheRate,
  computeLength,
  formatLength,
  formatOffset,
  formatRatio,
  nameSession,
} from '../../data/session-name.ts'
import {
  chooseUsdDecimals,
  createUsdTickFormat,
  formatCount,
  formatMoment,
  formatUsd,
} from '../../kit/format.ts'
import { roundTicks } from '../../kit/ticks.ts'
import type { SharedPicture } from '../../parts/share/picture.tsx'
import { type Step, sumByModel } from './step-layout.ts'

interface Clock {
  now: number
  zone: string | undefined
}

/** How the cost of a session grew, and what its models cost. */
export function createSessionPicture(session: Session, steps: readonly Step[], clock: Clock): SharedPicture {
  const ticks = roundTicks(steps.at(-1)?.totalUsd ?? 0)
  const top = ticks.at(-1) ?? 1
  const models = sumByModel(steps.map(({ record }) => record))
  const decimals = chooseUsdDecimals(models.map(({ costUsd }) => costUsd))
  const last = steps.at(-1)
  let sum = 0
  const points = steps
    .toSorted((a, b) => a.to - b.to)
    .map(({ to, record }) => {
      sum += record.costUsd ?? 0
      return { x: to, y: sum / top }
    })
  return {
    title: nameSession(session, clock),
    isNamed: true,
    period: formatMoment(session.startedAt, clock.zone),
    figures: [
      { label: t`Cost`, value: formatUsd(session.costUsd) },
      { label: t`Requests`, value: formatCount(session.requests) },
      { label: t`Duration`, value: formatLength(computeLength(session)) },
      { label: t`From the cache`, value: formatRatio(cacheRate(session)) },
    ],
    chart: {
      kind: 'line',
      points: [{ x: 0, y: 0 }, ...points],
      top: createUsdTickFormat(ticks)(top),
      ends: ['0:00', last ? formatOffset(last.offsetMs + last.durationMs) : ''],
    },
    rowsTitle: t`By model`,
    rows: models.map(({ model, costUsd }) => ({
      name: model,
      value: formatUsd(costUsd, decimals),
      series: null,
    })),
  }
}
