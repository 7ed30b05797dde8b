// Chrome's Trace Event Format: complete events (`ph: X`) have durations in microseconds.
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const Trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      ph: z.string(),
      pid: z.number(),
      tid: z.number(),
      dur: z.number().optional(),
      args: z.object({ name: z.string().optional() }).optional().catch(undefined),
    }),
  ),
})

/** The tasks to report for each thread, with readable names. */
const TASK_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CrRendererMain: {
    'ThreadControllerImpl::RunTask': 'all tasks',
    FunctionCall: 'script',
    UpdateLayoutTree: 'style',
    Layout: 'layout',
    'LocalFrameView::RunPaintLifecyclePhase': 'paint',
    Layerize: 'layers',
    'ProxyMain::BeginMainFrame::commit': 'commit',
  },
  VizCompositorThread: { 'DirectRenderer::DrawFrame': 'drawing by software' },
  ThreadPoolForegroundWorker: { RasterTask: 'raster' },
}

/** Milliseconds by thread and task. A task may contain another. */
export function readBusyTimes(path: string): Map<string, number> {
  const { traceEvents } = Trace.parse(JSON.parse(readFileSync(path, 'utf8')))
  const threads = new Map<string, string>()
  for (const { name, ph, pid, tid, args } of traceEvents)
    if (ph === 'M' && name === 'thread_name') threads.set(`${pid}/${tid}`, args?.name ?? '')
  const busy = new Map<string, number>()
  for (const { name, ph, pid, tid, dur = 0 } of traceEvents) {
    const thread = threads.get(`${pid}/${tid}`) ?? ''
    const label = TASK_NAMES[thread]?.[name]
    if (ph !== 'X' || label === undefined) continue
    const key = `${thread}: ${label}`
    busy.set(key, (busy.get(key) ?? 0) + dur / 1000)
  }
  return busy
}
