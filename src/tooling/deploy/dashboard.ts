import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { root } from '../commands.ts'

export const deployDir = join(root, 'resources/deploy')

const Dashboard = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).min(1),
    }),
  ),
})

/** The queries of all panels of the dashboard for Grafana. */
export function dashboardQueries(): string[] {
  const { panels } = Dashboard.parse(
    JSON.parse(readFileSync(join(deployDir, 'grafana-dashboard.json'), 'utf8')),
  )
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
}
