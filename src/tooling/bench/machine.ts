// The environment that the numbers of a run depend on.
import { readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { root } from '../commands.ts'
import { PEER } from './peers.ts'
import { mebibytes, type Table } from './report.ts'

const Manifest = z.object({ version: z.string() })

export function describeMachine(): Table {
  const { version } = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const [processor] = cpus()
  return {
    title: 'Versions and machine',
    columns: ['what', 'value'],
    rows: [
      ['date', new Date().toISOString().slice(0, 16).replace('T', ' ')],
      ['Tollgate', version],
      ['Node', process.versions.node],
      ['peer', PEER],
      ['system', `${process.platform} ${release()}, ${process.arch}`],
      ['processors', `${cpus().length}, ${processor?.model ?? 'unknown'}`],
      ['memory', mebibytes(totalmem())],
      ['load before the run', loadavg()[0]?.toFixed(1) ?? 'unknown'],
    ],
  }
}
