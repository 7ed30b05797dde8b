import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessState {
  descriptors: number
  rssMiB: number
  peakMiB: number
}

/** Reads /proc; returns zeros on systems without it. */
export function readProcessState(pid: number): ProcessState {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const mebibytes = (name: string) =>
      Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
    return {
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      rssMiB: mebibytes('VmRSS'),
      peakMiB: mebibytes('VmHWM'),
    }
  } catch {
    return { descriptors: 0, rssMiB: 0, peakMiB: 0 }
  }
}

/**
 * The memory of a process and of all that it has started, in MiB: of a page that several share, each has its part (`Pss` in
 * proc(5)). Zero on systems without /proc.
 */
export function readTreeMemory(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const own = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    )
    return Math.round(children.reduce((sum, child) => sum + readTreeMemory(Number(child)), own))
  } catch {
    // The process has ended.
    return 0
  }
}
