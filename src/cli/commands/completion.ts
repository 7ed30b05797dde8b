import type { Command } from 'commander'
import { print } from '../terminal/print.ts'
import { completionScripts } from './completion-scripts.ts'
import { addExamples } from './options.ts'

export function define(command: Command): void {
  command
    .addArgument(command.createArgument('<shell>').choices(Object.keys(completionScripts)))
    .action((shell: string) => print(completionScripts[shell] ?? ''))
  addExamples(
    command,
    [
      'source <(tollgate completion bash)          # in ~/.bashrc',
      'source <(tollgate completion zsh)           # in ~/.zshrc, after compinit',
      'tollgate completion fish | source           # in ~/.config/fish/config.fish',
    ],
    'It completes commands, options, and the names of keys, models, providers and projects of the running gateway.',
  )
}
