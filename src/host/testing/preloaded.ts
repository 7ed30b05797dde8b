// The program `tollgate` with a library in front of the C library, built from its source for a test.
import { type ChildProcess, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestClient, testClient } from '../../gateway/testing/gateway.ts'
import { getEnd, readReadyLine, spawnProgram } from '../../gateway/testing/program.ts'

export interface PreloadedProgram extends TestClient {
  child: ChildProcess
  ended: Promise<unknown>
}

/** A folder for one test, in which programs run one after another on the same data. */
export class PreloadedPrograms {
  readonly folder = mkdtempSync(join(tmpdir(), 'tollgate-preload-'))
  readonly dataDir = join(this.folder, 'data')
  readonly #children: ChildProcess[] = []
  #admin = ''

  /** Starts the program with the library whose source is next to this file; null for none. */
  async start(library: string | null, env: Record<string, string> = {}): Promise<PreloadedProgram> {
    const args = ['serve', '--port', '0', '--data-dir', this.dataDir, '--credentials', 'memory']
    const preload: Record<string, string> = library === null ? {} : { LD_PRELOAD: this.#build(library) }
    const child = spawnProgram(args, { env: { ...process.env, ...preload, ...env } })
    this.#children.push(child)
    const ended = getEnd(child)
    const { baseUrl, adminKey } = await readReadyLine(child, ended)
    this.#admin = adminKey ?? this.#admin
    return { ...testClient(baseUrl, this.#admin), child, ended }
  }

  #build(library: string): string {
    const built = join(this.folder, `${library}.so`)
    const source = join(import.meta.dirname, `${library}.c`)
    execFileSync('cc', ['-Wall', '-shared', '-fPIC', '-o', built, source, '-ldl', '-lpthread'])
    return built
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }
}
