import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ToolExtra } from '../../shared/tools/tool-setup.ts'
import { ToolSetups } from '../tool-setups.ts'
import { FakeGateway } from './fake-gateway.ts'

/** A home folder and a data dir for one test, with a gateway that only counts keys. */
export class TempHome {
  readonly root = mkdtempSync(join(tmpdir(), 'tollgate-setup-'))
  readonly home = join(this.root, 'home')
  readonly dataDir = join(this.root, 'data')
  readonly gateway = new FakeGateway()
  setups: ToolSetups

  constructor() {
    mkdirSync(this.home)
    mkdirSync(this.dataDir, { mode: 0o700 })
    this.setups = this.withVariables({})
  }

  /** Sets environment variables for all later commands. */
  withVariables(env: Record<string, string>): ToolSetups {
    const { home, dataDir, gateway } = this
    this.setups = new ToolSetups({
      dataDir,
      surroundings: { home, platform: 'linux', env },
      gateway,
      command: ['/bin/tollgate'],
    })
    return this.setups
  }

  path(name: string): string {
    return join(this.home, name)
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8')
  }

  write(name: string, text: string): string {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(this.path(name), text)
    return this.path(name)
  }

  preview(tool: string, extras: ToolExtra[] = []) {
    return this.setups.preview({ tool, model: null, extras })
  }

  async apply(tool: string, extras: ToolExtra[] = [], model: string | null = null) {
    const choice = { tool, model, extras }
    const { reviewed } = await this.setups.preview(choice)
    return this.setups.apply({ ...choice, reviewed, keyName: 'My tool', spendLimitUsd: 5 })
  }

  async problems(tool: string): Promise<(string | null)[]> {
    return (await this.preview(tool)).files.map(({ problem }) => problem)
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}
