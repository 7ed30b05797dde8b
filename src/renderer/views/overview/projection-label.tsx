// Owns a projection in words: the day on which a limit is reached, or why no day is named.
import { formatDay } from '../../format.ts'
import { useTimeZone } from '../../server-state/hooks.ts'
import { type Pace, project } from './projection.ts'

export function ProjectionWords(pace: Pace) {
  const timeZone = useTimeZone()
  const projection = project(pace)
  switch (projection.state) {
    case 'reached':
      return 'Calls are refused until it is raised.'
    case 'quiet':
      return 'Nothing spent in the last 7 days.'
    case 'far':
      return 'Lasts over a year at the pace of the last 7 days.'
    case 'reached-at': {
      const day = formatDay(new Date(projection.atMs).toISOString(), pace.nowMs, timeZone)
      return `Reached about ${day} at the pace of the last 7 days.`
    }
    default:
      projection satisfies never
      return null
  }
}
