import { mouseDriver } from '../input-drivers/mouse.ts'
import { describeTasks } from '../tasks/describe-tasks.ts'

describeTasks('mouse', mouseDriver)
