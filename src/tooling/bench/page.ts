// The pages of the documentation with results: docs/performance.md, which is the template with the tables of a run, and
// docs/scaling.md, some tables of which are replaced.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { root } from '../commands.ts'
import { PEER } from './peers.ts'
import { type CaseReport, formatMarkdown, goalTable, mebibytes, type Table } from './report.ts'

export interface RunReport extends CaseReport {
  remarks: string[]
  machine: Table
}

const scalingPage = join(root, 'docs/scaling.md')
const PROXY_HEADING = '## What a proxy costs'
const Manifest = z.object({ version: z.string() })

export function writePage(run: RunReport): void {
  const template = readFileSync(join(import.meta.dirname, 'performance.template.md'), 'utf8')
  writeFileSync(join(root, 'docs/performance.md'), formatPage(template, run))
}

/** Puts the tables in place of the template's lines in braces. */
export function formatPage(text: string, { goals, tables, remarks, machine }: RunReport): string {
  const parts: Record<string, string> = {
    targets: formatMarkdown(goalTable(goals)),
    machine: formatMarkdown(machine),
    measurements: tables
      .filter(({ isDetail }) => !isDetail)
      .map((table) => `### ${table.title}\n\n${formatMarkdown(table)}`)
      .join('\n\n'),
    remarks: remarks.map((remark) => `- ${remark}`).join('\n'),
  }
  return text.replace(/^\{(\w+)\}$/gm, (_, name: string) => parts[name] ?? '')
}

export function writeScalingPage(tables: readonly Table[]): void {
  writeFileSync(scalingPage, formatScalingPage(readFileSync(scalingPage, 'utf8'), tables))
}

/** Puts the tables with their titles where those of an earlier run are. */
export function formatScalingPage(text: string, tables: readonly Table[]): string {
  const lines = text.split('\n')
  const start = lines.indexOf(PROXY_HEADING)
  const end = lines.findIndex((line, at) => at > start && line.startsWith('## '))
  const first = lines.findIndex((line, at) => at > start && /^\*\*.+\*\*$/.test(line))
  const last = lines.findLastIndex((line, at) => at < end && line.startsWith('|'))
  if (start < 0 || first < 0 || first > last)
    throw new Error(`The page has no table under "${PROXY_HEADING}".`)
  const formatted = tables.map((table) => `**${table.title}**\n\n${formatMarkdown(table)}`)
  return [...lines.slice(0, first), formatted.join('\n\n'), ...lines.slice(last + 1)].join('\n')
}

/** The environment that the numbers of a run depend on. */
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
