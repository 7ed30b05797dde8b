// `tollgate setup`: what Connect does in the window, in a terminal.
import type { Command } from 'commander'
import { chooseDataDir } from '../../host/data-dir.ts'
import { EXIT } from '../../host/exit-codes.ts'
import {
  type DiffLine,
  ToolExtra,
  type ToolPreview,
  type UndoOutcome,
} from '../../shared/tools/tool-setup.ts'
import { configurableTools, findTool, type ToolRow } from '../../shared/tools/tool-table.ts'
import { askForPlan } from '../../tool-setup/plan-sign-in.ts'
import { createToolSetups } from '../../tool-setup/tool-setups.ts'
import { refuseInRun } from '../run/run-key.ts'
import { print } from '../terminal/print.ts'
import { addExamples, type DataDirOptions, dataDirOption, parseCap } from './options.ts'

interface Options extends DataDirOptions, Partial<Record<ToolExtra, boolean>> {
  dryRun?: boolean
  undo?: boolean
  model?: string
  name?: string
  cap?: number | null
}

export function define(command: Command): void {
  command
    .addArgument(command.createArgument('<tool>').choices(configurableTools.map(({ id }) => id)))
    .option('--dry-run', 'only show the changes')
    .option('--undo', 'take the changes back, and revoke the key')
    .option('--model <id>', 'the model that the tool uses')
    .option('--name <name>', 'the name of its key')
    .option('--cap <usd>', 'the spend cap of its key', parseCap)
    .option('--mcp', 'also give it the server of tollgate mcp, so that the agent can ask about its costs')
    .option(
      '--git',
      'also give Claude Code the hook that records branches and commits, for tollgate git-cost',
    )
    .option('--plan', 'Claude Code and Codex keep the sign-in of their plan, which pays')
    .addOption(dataDirOption())
    .action(async (tool: string, chosen: Options) => {
      const row = findTool(tool)
      if (row) process.exitCode = await setUpTool(row, chosen)
    })
  addExamples(
    command,
    [
      'tollgate setup codex --dry-run',
      'tollgate setup claude-code --cap 20 --mcp',
      'tollgate setup codex --undo',
    ],
    `Writes the configuration of the tool so that it calls the running gateway, and shows what it changes. It creates a key for
the tool. For one run without a change of files, use tollgate run.`,
  )
}

/** Returns the exit code. */
async function setUpTool(row: ToolRow, options: Options): Promise<number> {
  if (!options.dryRun) refuseInRun()
  const setups = createToolSetups(chooseDataDir(options.dataDir))
  if (options.undo) return reportUndo(await setups.undo(row.id), row.name)
  const wanted = { ...options, plan: options.plan ?? (await askForPlan(row.plan)) }
  const extras = ToolExtra.options.filter((extra) => wanted[extra])
  const choice = { tool: row.id, model: options.model ?? null, extras }
  const preview = await setups.preview(choice)
  const missing = extras.find((extra) => !preview.offers.includes(extra))
  if (missing)
    throw new Error(`${row.name} has no place for --${missing}, or the command tollgate is not installed.`)
  print(describe(preview))
  if (preview.files.some(({ problem }) => problem !== null)) return EXIT.failed
  if (options.dryRun) return EXIT.done
  const { test, next } = await setups.apply({
    ...choice,
    reviewed: preview.reviewed,
    keyName: options.name ?? row.name,
    spendLimitUsd: options.cap ?? null,
  })
  print(`${row.name} is set up. ${test.message}\n${next}\nTo undo it: tollgate setup ${row.id} --undo\n`)
  return test.passed ? EXIT.done : EXIT.failed
}

const MARKS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '-', gap: '…' }

function describe({ files, model, keyName }: ToolPreview): string {
  const texts = files.map(({ path, exists, problem, warnings, diff }) => {
    if (problem !== null) return `${path} is not changed. ${problem}\n`
    const lines = [...diff.map(({ kind, text }) => `${MARKS[kind]}${text}`), ...warnings]
    return `${path}${exists ? '' : ' (new)'}\n${lines.join('\n')}\n`
  })
  const key = keyName === null ? 'The key replaces tg-….' : `It keeps its key “${keyName}”.`
  return `${texts.join('\n')}\nModel: ${model}. ${key}\n`
}

function reportUndo({ kept, problems, keyRevoked }: UndoOutcome, name: string): number {
  for (const problem of problems) print(`${problem}\n`)
  if (problems.length > 0) return EXIT.failed
  const rest = kept.length > 0 ? ` Left, because it was changed since: ${kept.join(', ')}.` : ''
  const key = keyRevoked ? `The key of ${name} is revoked.` : 'No key was revoked.'
  print(`The setup of ${name} is undone.${rest} ${key}\n`)
  return EXIT.done
}
